import { textAnswer } from "./answer.ts";
import type { Route } from "./server.ts";

/** What a client may do to the process, with `--web.enable-lifecycle`. */
export interface Lifecycle {
  readonly isEnabled: boolean;
  /** Reads the configuration again; what is wrong with it, without secrets, or nothing. */
  readonly reload: () => Promise<readonly string[]>;
}

/** `/-/reload` as Prometheus has it. */
export function createReloadRoute({ isEnabled, reload }: Lifecycle): Route {
  return {
    path: "/-/reload",
    methods: ["POST", "PUT"],
    handle: async () => {
      if (!isEnabled) return textAnswer(403, "Lifecycle API is not enabled (--web.enable-lifecycle)\n");
      const problems = await reload();
      if (problems.length === 0) return textAnswer(200, "Read the configuration again\n");
      return textAnswer(500, ["Cannot reload; nothing was changed", ...problems, ""].join("\n"));
    },
  };
}
