import { describeWithTools } from "../../support/tools.ts";
import { lastsStories } from "./lasts-stories.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "when keys run out", ({ promtool3 }) =>
  testStories(promtool3, lastsStories, 2),
);
describeWithTools(["promtool2"], "when keys run out", ({ promtool2 }) =>
  testStories(promtool2, lastsStories, 2),
);
