import { describeWithTools } from "../../support/tools.ts";
import { accountStories } from "./account-stories.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "accounts over days", ({ promtool3 }) =>
  testStories(promtool3, accountStories, 4),
);
