import { serveParent } from "../child.ts";

// Requests keys with one of the clients and reports the cost. Parameters: the client's module, the API root, and the number of
// concurrent requests.
const [, , module = "", url = "", connections = "1"] = process.argv;
const { createClient } = await import(new URL(module, import.meta.url).href);
const ask = createClient(url, Number(connections));

serveParent({}, async ({ requests }) => {
  let left = requests;
  const worker = async () => {
    while (left-- > 0) await ask();
  };
  const cpu = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: Number(connections) }, worker));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / requests, keys: requests / seconds };
});
