import Negotiator from "negotiator";
import { CONTENT_TYPES, type Format, FORMATS } from "../metrics/render/exposition.ts";
import type { Publisher } from "../metrics/render/publisher.ts";
import { zstdFrameNow } from "../metrics/render/zstd.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import { type Answer, get, type Route } from "./route.ts";

/** The telemetry path: the published text, followed by the exporter's own metrics. */
export function createMetricsRoute(
  path: string,
  publisher: Publisher,
  self: Pick<SelfRegistry, "parts">,
): Route {
  return get(path, async ({ headers }): Promise<Answer> => {
    const format = acceptedFormat(headers.accept);
    const encoding = acceptedEncoding(headers["accept-encoding"]?.toString());
    const { runtime, own } = await self.parts(format);
    // Read last, so that no value can expire during a later await.
    const ready = await publisher.current(format, encoding === "zstd");
    const common = { "content-type": CONTENT_TYPES[format], vary: "Accept, Accept-Encoding" };
    if (!encoding)
      return { status: 200, headers: common, body: [...(await ready.text()), runtime.text, own] };
    const body =
      encoding === "gzip"
        ? ready.gzipWith(runtime.piece, own)
        : [await ready.zstd(), zstdFrameNow(Buffer.concat([runtime.text, own]))];
    return { status: 200, headers: { ...common, "content-encoding": encoding }, body };
  });
}

/** The exposition format that the `Accept` header prefers; text when it accepts neither. */
export function acceptedFormat(header: string | undefined): Format {
  const accept = header?.replaceAll(OTHER_PARAMETER, "");
  const preferred = new Negotiator({ headers: { accept } }).mediaType(Object.values(CONTENT_TYPES));
  return FORMATS.find((format) => CONTENT_TYPES[format] === preferred) ?? "text";
}

/** The compression that the `Accept-Encoding` header prefers. zstd is used only if it is named. */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  const offered = header?.includes("zstd") ? [...ENCODINGS] : ["gzip"];
  const [preferred] = new Negotiator({ headers: { "accept-encoding": header } }).encodings(offered);
  return ENCODINGS.find((encoding) => encoding === preferred);
}

const ENCODINGS = ["gzip", "zstd"] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Whether the client takes gzip, by the `Accept-Encoding` header. */
export function acceptsGzip(header: string | undefined): boolean {
  return new Negotiator({ headers: { "accept-encoding": header } }).encodings(["gzip"]).length > 0;
}

/**
 * Parameters other than the version and the quality change nothing: every text is UTF-8, and the names are
 * plain ASCII, so that it does not matter how Prometheus 3 wants them escaped.
 */
const OTHER_PARAMETER = /;\s*(?!(?:version|q)\s*=)[^\s;,="]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*)/gi;
