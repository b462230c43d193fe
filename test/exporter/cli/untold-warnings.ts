import { z } from "zod";
import { type CheckCases, openStage } from "./online-stage.ts";

const FIVE_MINUTES_MS = 300_000;

/** The warnings and errors that the daemon logs in its first five minutes, and `check --online` does not report. */
export async function untoldWarnings(cases: CheckCases): Promise<readonly string[]> {
  const untold: string[] = [];
  for (const [title, stage] of cases) {
    if (!stage) continue;
    const opened = await openStage(await stage());
    const found = (await opened.check()).findings.join("\n");
    const log = await opened.daemonLog(FIVE_MINUTES_MS);
    untold.push(...log.filter((line) => !isTold(line, found)).map((line) => `${title}: ${line}`));
  }
  return untold;
}

/** Whether the findings of a check have what a line of the log says, or its cause: failures with one cause share a line. */
function isTold(line: string, found: string): boolean {
  const { msg, means } = Line.parse(JSON.parse(line));
  if (means !== undefined && (found.includes(means) || found.includes("every request alike"))) return true;
  // A check names the first three.
  if (msg.includes("series_limit is reached")) return found.includes("series_limit: ");
  // The refusals of all other requests explain that.
  if (msg.includes("the balance is not shown")) return found.includes("gateway answered 403");
  return plain(found).includes(plain(essenceOf(msg)));
}

/** Numbers change with time. */
const plain = (text: string) => text.replaceAll(/\d+/g, "0");

/** Without the action that failed and the count of others. */
function essenceOf(message: string): string {
  return message
    .replace(/; and \d+ more(?: with other messages)?(?:: .*)?$/, "")
    .replace(/^Polled .*?, but |^Cannot [^:]*: /, "");
}

const Line = z.object({ msg: z.string(), means: z.string().optional() });
