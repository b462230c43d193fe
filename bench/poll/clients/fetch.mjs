/** Node's own fetch, with keep-alive and one connection per concurrent request. */
export function createClient(url) {
  const headers = { authorization: "Bearer sk-ai-1", accept: "application/json" };
  return async () => {
    const response = await fetch(`${url}/key`, { headers, signal: AbortSignal.timeout(10_000) });
    return response.json();
  };
}
