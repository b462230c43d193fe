import { describeWithTools } from "../../support/tools.ts";
import { budgetStories } from "./budget-stories.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "budgets over days", ({ promtool3 }) =>
  testStories(promtool3, budgetStories, 4),
);
