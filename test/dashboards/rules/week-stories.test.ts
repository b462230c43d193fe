import { describeWithTools } from "../../support/tools.ts";
import { testStories } from "./story.ts";
import { weekStories } from "./week-stories.ts";

describeWithTools(["promtool3"], "alerts on keys and budgets over weeks", ({ promtool3 }) =>
  testStories(promtool3, weekStories, 4),
);
describeWithTools(["promtool2"], "alerts on keys and budgets over weeks", ({ promtool2 }) =>
  testStories(promtool2, weekStories, 4),
);
