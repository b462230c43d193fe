import { describeWithTools } from "../../support/tools.ts";
import { dailyStories } from "./day-stories.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "alerts on keys over days", ({ promtool3 }) =>
  testStories(promtool3, dailyStories, 2),
);
describeWithTools(["promtool2"], "alerts on keys over days", ({ promtool2 }) =>
  testStories(promtool2, dailyStories, 2),
);
