import { describeWithTools } from "../../support/tools.ts";
import { tell } from "./tell.ts";
import { weekStories } from "./week-stories.ts";

describeWithTools(["promtool3"], "keys and budgets over weeks", ({ promtool3 }) =>
  tell(promtool3, weekStories, 4),
);
describeWithTools(["promtool2"], "keys and budgets over weeks", ({ promtool2 }) =>
  tell(promtool2, weekStories, 4),
);
