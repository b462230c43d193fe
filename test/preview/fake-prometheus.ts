import { createServer } from "node:http";

import { listenOnLoopback } from "../support/loopback.ts";

/** A server with the API of Prometheus that gives every query the same result: fifteen series with the values 0 to 14. */
export async function startFakePrometheus(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const data = pathname.endsWith("/values") ? ["one"] : { result: resultOf(pathname, searchParams) };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ status: "success", data }));
  });
  const { address, stop } = await listenOnLoopback(server);
  return { url: `http://${address}`, stop };
}

const SERIES = 15;

function resultOf(pathname: string, parameters: URLSearchParams): readonly object[] {
  const number = (name: string): number => Number(parameters.get(name) ?? 0);
  return Array.from({ length: SERIES }, (_, index) => {
    const metric = labelsOf(index);
    if (pathname.endsWith("/query")) return { metric, value: [number("time"), String(index)] };
    const steps = Math.floor((number("end") - number("start")) / number("step"));
    const values = Array.from({ length: steps + 1 }, (__, step) => [
      number("start") + step * number("step"),
      String(index),
    ]);
    return { metric, values };
  });
}

/** Every label that a panel shows, with a name of the longest length for the first series. */
function labelsOf(index: number): Readonly<Record<string, string>> {
  const name = index === 0 ? "a-name-".repeat(9) : `name-${index}`;
  const labels = ["key", "team", "model", "app", "api_key", "budget", "alertname", "severity", "workspace"];
  return Object.fromEntries(labels.map((label) => [label, name]));
}
