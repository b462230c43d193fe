import { describeWithTools } from "../../support/tools.ts";
import { memoryStories } from "./memory-stories.ts";
import { reserveStories } from "./reserve-stories.ts";
import { testStories } from "./story.ts";

const stories = [...memoryStories, ...reserveStories];

describeWithTools(["promtool3"], "the memory of alerts on a key's credits", ({ promtool3 }) =>
  testStories(promtool3, stories, 2),
);
describeWithTools(["promtool2"], "the memory of alerts on a key's credits", ({ promtool2 }) =>
  testStories(promtool2, stories, 2),
);
