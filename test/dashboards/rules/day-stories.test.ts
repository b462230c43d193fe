import { describeWithTools } from "../../support/tools.ts";
import { dailyStories } from "./day-stories.ts";
import { tell } from "./tell.ts";

describeWithTools(["promtool3"], "keys over days", ({ promtool3 }) => tell(promtool3, dailyStories, 2));
describeWithTools(["promtool2"], "keys over days", ({ promtool2 }) => tell(promtool2, dailyStories, 2));
