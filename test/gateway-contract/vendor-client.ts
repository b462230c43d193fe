import { HTTPClient, OpenRouter } from "@openrouter/sdk";

export type VendorClient = ReturnType<typeof createVendorClient>;

/**
 * The vendor's SDK for one server. It is the only place that creates its client, because a client without `serverURL`
 * contacts the vendor's own host. Records every request; one to another host fails before it is sent.
 */
export function createVendorClient(serverURL: string, apiKey: string) {
  const requests: { readonly method: string; readonly url: string }[] = [];
  const bodies: string[] = [];
  const fetcher: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    requests.push({ method: request.method, url: request.url });
    if (new URL(request.url).host !== new URL(serverURL).host) {
      throw new Error(`Cannot send ${request.method} ${request.url}: the server is ${serverURL}`);
    }
    return fetch(request);
  };
  const httpClient = new HTTPClient({ fetcher });
  // The SDK drops the columns of analytics, so tests need the text as well.
  httpClient.addHook("response", async (response) => void bodies.push(await response.clone().text()));
  const sdk = new OpenRouter({ serverURL, apiKey, httpClient, retryConfig: { strategy: "none" } });
  return { sdk, requests, bodies };
}
