import { promisify } from "node:util";
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflate as zlibInflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from "node:zlib";
import { isSuccess, type HttpResponse } from "./response.ts";
import { MOST_REFUSAL_BYTES, type ResponseLimits, ResponseError } from "./receive.ts";

/** The header of requests. */
export const ACCEPT_ENCODING = "gzip, deflate, br";

/**
 * Returns a response with its plain body, which obeys the same limit as one that is not compressed: decompression stops
 * there. @throws ResponseError; a refusal whose body cannot be read has an empty one.
 */
export type Inflate = (
  response: HttpResponse,
  limits: Pick<ResponseLimits, "bodyBytes" | "setting">,
) => Promise<HttpResponse>;

/**
 * Small bodies are decompressed at once. Larger ones are decompressed off the event loop one after the other, so that
 * they leave threads to the compression of scrapes.
 */
export function createInflate(): Inflate {
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(codec: Codec, bytes: Buffer, most: number): Promise<Buffer> {
    const turn = last.then(() => codec.later(bytes, { maxOutputLength: most, chunkSize: CHUNK_BYTES }));
    last = turn.catch(() => {});
    return turn;
  }

  async function plain(body: Buffer, encodings: readonly string[], most: number): Promise<Buffer> {
    let bytes = body;
    for (const encoding of encodings.toReversed()) {
      const codec = codecOf(encoding, bytes);
      if (!codec) throw new ResponseError("has a content encoding that was not requested");
      const small =
        bytes.length > SMALL_BYTES ? undefined : atOnce(codec, bytes, Math.min(most, SMALL_PLAIN_BYTES));
      bytes = small ?? (await inTurn(codec, bytes, most));
    }
    return bytes;
  }

  return async (response, { bodyBytes, setting }) => {
    const encodings = encodingsOf(response.headers["content-encoding"]);
    if (encodings.length === 0 || response.body.length === 0) return response;
    const isRefusal = !isSuccess(response.status);
    const [most, name] = isRefusal ? [MOST_REFUSAL_BYTES, ""] : [bodyBytes, setting];
    try {
      if (encodings.length > MOST_ENCODINGS) throw new ResponseError("is compressed too often");
      return { ...response, body: await plain(response.body, encodings, most) };
    } catch (error) {
      if (isRefusal) return { ...response, body: Buffer.alloc(0) };
      if (error instanceof ResponseError) throw error;
      if (!isTooLarge(error)) throw new ResponseError("cannot be decompressed", { cause: error });
      throw new ResponseError(`is larger than ${most} bytes${name === "" ? "" : ` (${name})`}`);
    }
  };
}

/** Compressed bytes, and plain ones, that take less than a millisecond. */
const SMALL_BYTES = 16_384;
const SMALL_PLAIN_BYTES = 131_072;
const CHUNK_BYTES = 262_144;
/** A proxy may compress what the service has compressed. */
const MOST_ENCODINGS = 2;

interface Codec {
  readonly now: (bytes: Buffer, options: ZlibOptions) => Buffer;
  readonly later: (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;
}

const GZIP: Codec = { now: gunzipSync, later: promisify<Buffer, ZlibOptions, Buffer>(gunzip) };
const ZLIB: Codec = { now: inflateSync, later: promisify<Buffer, ZlibOptions, Buffer>(zlibInflate) };
const RAW: Codec = { now: inflateRawSync, later: promisify<Buffer, ZlibOptions, Buffer>(inflateRaw) };
const BROTLI: Codec = {
  now: brotliDecompressSync,
  later: promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress),
};

/** Some servers send `deflate` without the header of zlib, which is 8 in its first half byte. */
function codecOf(encoding: string, bytes: Buffer): Codec | undefined {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return GZIP;
    case "deflate":
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? ZLIB : RAW;
    case "br":
      return BROTLI;
    default:
      return undefined;
  }
}

function encodingsOf(header: string | readonly string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .join(",")
    .split(",")
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
}

/** Decompresses in one call; undefined: there are more than `most` plain bytes. */
function atOnce(codec: Codec, bytes: Buffer, most: number): Buffer | undefined {
  try {
    return codec.now(bytes, { maxOutputLength: most });
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw error;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
