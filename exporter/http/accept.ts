import type { Format } from "../metrics/render/exposition.ts";

/** The exposition format to answer with, by the `Accept` header: OpenMetrics 1.0 where it is wanted at least as much. */
export function acceptedFormat(accept: string | undefined): Format {
  let [text, openMetrics] = [0, 0];
  for (const { name, parameters, quality } of entries(accept ?? "")) {
    const version = parameters.get("version");
    if (name === "application/openmetrics-text" && (version === undefined || version === "1.0.0")) {
      openMetrics = Math.max(openMetrics, quality);
    }
    if (name === "text/plain" && (version === undefined || version === "0.0.4"))
      text = Math.max(text, quality);
  }
  return openMetrics > 0 && openMetrics >= text ? "openmetrics" : "text";
}

/** Whether the client takes gzip, by the `Accept-Encoding` header. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const qualities = new Map(entries(acceptEncoding ?? "").map(({ name, quality }) => [name, quality]));
  return (qualities.get("gzip") ?? qualities.get("*") ?? 0) > 0;
}

interface Entry {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** The comma-separated entries of a header with their parameters (RFC 9110, 12.4.2); a quality that is no number is 0. */
function entries(header: string): readonly Entry[] {
  return header.split(",").map((entry) => {
    const [name = "", ...rest] = entry.split(";").map((part) => part.trim().toLowerCase());
    const parameters = new Map(
      rest.map((parameter): [string, string] => {
        const [key = "", value = ""] = parameter.split("=");
        return [key.trim(), value.trim().replace(/^"(.*)"$/, "$1")];
      }),
    );
    const quality = Number(parameters.get("q") ?? "1");
    return { name, parameters, quality: Number.isFinite(quality) ? quality : 0 };
  });
}
