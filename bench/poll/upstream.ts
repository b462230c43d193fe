import { z } from "zod";
import { startChild } from "../child.ts";

/** The gateway that is polled, in a process of its own. */
export interface Upstream {
  /** The API root. */
  readonly url: string;
  close(): Promise<void>;
}

const Ready = z.object({ url: z.string() });

/** Answers after `latencyMs`; an analytics answer has `rows` rows. */
export async function startUpstream(latencyMs: number, rows = 0): Promise<Upstream> {
  const child = await startChild(new URL("upstream-program.ts", import.meta.url), {
    parameters: [String(latencyMs), String(rows)],
  });
  return { url: Ready.parse(child.ready).url, close: () => child.close() };
}
