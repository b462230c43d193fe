import { describeWithTools } from "../../support/tools.ts";
import { inputStories } from "./input-stories.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "the current values of keys", ({ promtool3 }) =>
  testStories(promtool3, inputStories, 2),
);
describeWithTools(["promtool2"], "the current values of keys", ({ promtool2 }) =>
  testStories(promtool2, inputStories, 2),
);
