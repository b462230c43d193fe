/** A body as it goes over the wire. */
export interface EncodedBody {
  readonly contentType: string;
  readonly content: string | Uint8Array;
}

/** A form becomes multipart/form-data, anything else JSON. */
export async function encodeBody(body: object): Promise<EncodedBody> {
  if (!(body instanceof FormData)) return { contentType: "application/json", content: JSON.stringify(body) };
  // The platform knows how to write a form, with a boundary that is not in it.
  const encoded = new Response(body);
  const contentType = encoded.headers.get("content-type") ?? "multipart/form-data";
  return { contentType, content: new Uint8Array(await encoded.arrayBuffer()) };
}
