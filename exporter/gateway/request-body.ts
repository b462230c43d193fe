import { randomUUID } from "node:crypto";

/** A body as it goes over the wire. */
export interface EncodedBody {
  readonly contentType: string;
  readonly content: string | Uint8Array;
}

/** A form becomes multipart/form-data, anything else JSON. */
export function encodeBody(body: object): EncodedBody {
  if (!(body instanceof Form)) return { contentType: "application/json", content: JSON.stringify(body) };
  const boundary = `form-${randomUUID()}`;
  const content = Buffer.concat([
    ...body.parts.flatMap((part) => [
      Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n\r\n`),
      ...contentOf(part),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, content };
}

/** Fields in their order. The names of fields and files need no quoting: they are ours. */
export class Form {
  readonly parts: readonly FormPart[];

  constructor(parts: readonly FormPart[]) {
    this.parts = parts;
  }
}

export interface FormPart {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Of an uploaded file. */
  readonly file?: { readonly name: string; readonly contentType: string };
}

function headersOf({ name, file }: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${name}"`;
  return file ? `${disposition}; filename="${file.name}"\r\nContent-Type: ${file.contentType}` : disposition;
}

function contentOf({ content }: FormPart): readonly Uint8Array[] {
  return [typeof content === "string" ? Buffer.from(content) : content, Buffer.from("\r\n")];
}
