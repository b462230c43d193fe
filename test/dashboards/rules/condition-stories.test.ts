import { describeWithTools } from "../../support/tools.ts";
import { conditionStories } from "./condition-stories.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "the conditions of the alerts on a key's credits", ({ promtool3 }) =>
  testStories(promtool3, conditionStories, 2),
);
describeWithTools(["promtool2"], "the conditions of the alerts on a key's credits", ({ promtool2 }) =>
  testStories(promtool2, conditionStories, 2),
);
