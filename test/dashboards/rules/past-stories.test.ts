import { describeWithTools } from "../../support/tools.ts";
import { pastStories } from "./past-stories.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "what earlier hours and days of keys show", ({ promtool3 }) =>
  testStories(promtool3, pastStories, 4),
);
describeWithTools(["promtool2"], "what earlier hours and days of keys show", ({ promtool2 }) =>
  testStories(promtool2, pastStories, 4),
);
