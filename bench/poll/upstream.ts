import { z } from "zod";
import { startChild } from "../child.ts";

/** The polled gateway, in its own process. */
export interface Upstream {
  /** The API root. */
  readonly url: string;
  close(): Promise<void>;
}

const Ready = z.object({ url: z.string() });

/** Starts a gateway that answers after `latencyMs`; an analytics answer has `rows` rows. */
export async function startUpstream(latencyMs: number, rows = 0): Promise<Upstream> {
  const child = await startChild(new URL("upstream-program.ts", import.meta.url), {
    parameters: [String(latencyMs), String(rows)],
  });
  return { url: Ready.parse(child.ready).url, close: () => child.close() };
}
