import { createRules } from "../../../dashboards/rules/index.ts";
import { describeWithTools } from "../../support/tools.ts";
import { probeWeeks } from "./probe-weeks.ts";
import { testStories } from "./story.ts";

/** The other groups would take minutes and have no effect on probes. */
const groups = createRules().filter(({ name }) =>
  ["aigateway-key-inputs", "aigateway-probes"].includes(name),
);

describeWithTools(["promtool3"], "alerts on probes over a week", ({ promtool3 }) =>
  testStories(promtool3, probeWeeks, 4, groups),
);
describeWithTools(["promtool2"], "alerts on probes over a week", ({ promtool2 }) =>
  testStories(promtool2, probeWeeks, 4, groups),
);
