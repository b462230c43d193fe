import { type Series, select } from "../promql.ts";
import type { Outlook } from "../../exporter/forecast/outlook.ts";
import type { Timing } from "./timing.ts";

/** Conditions on the forecast of a key, a budget or the account. */
export interface OutlookConditions {
  /** Its outlook is one of these. */
  readonly state: (timing: Timing, ...outlooks: readonly Outlook[]) => string;
  /** An exhaustion is announced: there is an instant. */
  readonly announced: (timing: Timing) => string;
}

export function outlookOf<Label extends string>(
  outlook: Series<Label>,
  exhaustion: Series,
  label: NoInfer<Label>,
): OutlookConditions {
  return {
    state: ({ memory }, ...outlooks) => {
      const [first = "", ...others] = outlooks;
      const value = others.length === 0 ? first : `~${outlooks.join("|")}`;
      const matchers: Partial<Record<string, string>> = { [label]: value };
      return `last_over_time(${select<string>(outlook, matchers)}[${memory}]) == 1`;
    },
    announced: ({ memory }) => `last_over_time(${exhaustion.name}[${memory}])`,
  };
}
