import { expect, test } from "vitest";
import { z } from "zod";
import { CAUSES } from "../../../exporter/gateway/causes.ts";
import { CHECK_CASES } from "./check-cases.ts";
import { trustCaseAuthority } from "./other-services.ts";
import { checkOnline, type CheckCases, openStage } from "./online-stage.ts";

/** The page of every case: read it as somebody who does not know the product. */
test("check --online says what is wrong and what to do, for each service that may answer", async () => {
  trustCaseAuthority();
  const sections: string[] = [];
  for (const [title, stage] of CHECK_CASES) {
    if (!stage) {
      sections.push(`#${title}\n`);
      continue;
    }
    const { code, findings } = await checkOnline(await stage());
    const lines = findings.map((line) =>
      line.replaceAll(/127\.0\.0\.1:(?!1\b)\d+/g, "127.0.0.1:PORT").replace("UND_ERR_SOCKET", "ECONNRESET"),
    );
    sections.push(`### ${title}\n${[...lines, `exit code ${code}`].map((line) => `- ${line}`).join("\n")}\n`);
  }
  const page = `# What \`check --online\` says\n\n${sections.join("\n")}`;
  await expect(page).toMatchFileSnapshot("../../golden/check-online.md");
  const untold = CAUSES.filter(({ means }) => !page.includes(means)).map(({ name }) => name);
  // They need a file that vanishes, or a network that is down.
  expect(untold).toEqual(["secret_unreadable", "dns_down", "unreachable"]);
}, 180_000);

test("check --online reports every warning that the daemon logs at first, of a gateway that answers", async () => {
  const first = CHECK_CASES.findIndex(([title]) => title === "# Requests");
  expect(await untoldWarnings(CHECK_CASES.slice(first))).toEqual([]);
});

const FIVE_MINUTES_MS = 300_000;

/** The warnings and errors that the daemon logs in its first five minutes, and `check --online` does not report. */
async function untoldWarnings(cases: CheckCases): Promise<readonly string[]> {
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
