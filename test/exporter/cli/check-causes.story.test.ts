import { expect, test } from "vitest";
import { CAUSES } from "../../../exporter/gateway/causes.ts";
import { CHECK_CASES } from "./check-cases.ts";
import { trustCaseAuthority } from "./other-services.ts";
import { checkOnline } from "./online-stage.ts";

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
