import { describeWithTools } from "../../support/tools.ts";
import { caseStories } from "./cases/index.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "alerts fire at the expected minute", ({ promtool3 }) =>
  testStories(promtool3, caseStories),
);
