import { redact } from "../secrets/redact.ts";
import type { Terminal } from "./terminal.ts";

export interface HealthcheckRequest {
  /** The root of an exporter, without a slash at the end. */
  readonly url: string;
  /** How long to wait for the exporter to start; 0 asks once. */
  readonly waitMs: number;
}

/**
 * Asks an exporter whether it serves, for containers without a shell and for systemd. A refusal by its web
 * configuration is an answer as well, so neither a password nor a certificate is needed.
 */
export async function healthcheck(
  { url, waitMs }: HealthcheckRequest,
  { clock, env, stderr, hasEnded }: Pick<Terminal, "clock" | "env" | "stderr" | "hasEnded">,
): Promise<number> {
  // A plain request at a TLS port is answered 400, also to a client without a certificate.
  const address = `${url.replace(/^https:/, "http:")}/-/healthy`;
  const startedAt = clock.monotonic();
  // systemd sets it for ExecStartPost.
  const pid = Number(env["MAINPID"] ?? Number.NaN);
  for (;;) {
    const fault = await faultOf(address);
    if (fault === undefined) return 0;
    if (clock.monotonic() - startedAt >= waitMs || hasEnded(pid)) {
      stderr.write(redact(`${address} does not answer: ${fault}\n`));
      return 1;
    }
    await clock.sleep(AGAIN_MS);
  }
}

const AGAIN_MS = 200;
const PATIENCE_MS = 5000;

async function faultOf(address: string): Promise<string | undefined> {
  try {
    const { status } = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(PATIENCE_MS) });
    return status < 500 ? undefined : `status ${status}`;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  }
}
