import { describeWithTools } from "../../support/tools.ts";
import { caseStories } from "./cases/index.ts";
import { exhaustedStories } from "./cases/key-credit-cases.ts";
import { ruleEvaluationStories } from "./cases/rule-evaluation-stories.ts";
import { unheardStories } from "./cases/unheard-stories.ts";
import { testStories } from "./story.ts";

const stories = [...caseStories, ...exhaustedStories, ...unheardStories, ...ruleEvaluationStories];

describeWithTools(["promtool3"], "alerts fire at the expected minute", ({ promtool3 }) =>
  testStories(promtool3, stories, 1),
);
describeWithTools(["promtool2"], "alerts fire at the expected minute", ({ promtool2 }) =>
  testStories(promtool2, stories, 1),
);
