import { expect, test } from "vitest";
import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { checkRules } from "../../support/promtool.ts";
import { describeWithTools } from "../../support/tools.ts";
import { caseStories } from "./cases/index.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool2"], "the rules in Prometheus 2", ({ promtool2 }) => {
  test("are valid", async () => {
    expect(await checkRules(promtool2, renderRuleFile(createRules()))).toMatchObject({ ok: true });
  });

  testStories(promtool2, caseStories);
});
