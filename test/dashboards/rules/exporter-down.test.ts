import { expect, test } from "vitest";

import { describeWithTools } from "../../support/tools.ts";
import { exporterDownStories } from "./exporter-down-stories.ts";
import { failuresOf } from "./story.ts";

describeWithTools(["promtool3"], "the exporter is down", ({ promtool3 }) => {
  test.each(exporterDownStories)("$title", async ({ series, expect: expectations }) => {
    expect(await failuresOf(promtool3, series, expectations, 1)).toEqual([]);
  });
});
