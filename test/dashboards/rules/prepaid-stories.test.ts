import { describeWithTools } from "../../support/tools.ts";
import { prepaidStories } from "./prepaid-stories.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "prepaid balances over days", ({ promtool3 }) =>
  testStories(promtool3, prepaidStories, 4),
);
