import type { Environment } from "../../config/secret-source.ts";

/** How Node was started. */
export interface NodeState {
  /** The options of the command line, without those of `NODE_OPTIONS`. */
  readonly options: readonly string[];
  /** Whether a debugger can connect. */
  readonly isDebuggable: boolean;
}

/** What makes the process reveal its secrets to others, as set by whoever starts it. */
export function processWarnings({ options, isDebuggable }: NodeState, env: Environment): readonly string[] {
  // Node takes underscores for dashes.
  const given = [...options, ...(env["NODE_OPTIONS"] ?? "").split(/[\s"']+/)].map((option) =>
    option.replace(/^[^=]*/, (name) => name.replaceAll("_", "-")),
  );
  const used = DUMPING.filter((name) =>
    given.some((option) => option === name || option.startsWith(`${name}=`)),
  );
  return [
    ...(isDebuggable
      ? ["A debugger can connect to this process and read every secret: start it without --inspect"]
      : []),
    ...used.map((name) => `Node's option ${name} can write secrets to files or the log: start without it`),
    ...(env["NODE_DEBUG"] ? ["NODE_DEBUG can write secrets to the log: start without it"] : []),
  ];
}

/** Options that write memory, environment variables, traffic or keys of sessions. */
const DUMPING = [
  "--abort-on-uncaught-exception",
  "--heapsnapshot-near-heap-limit",
  "--heapsnapshot-signal",
  "--report-on-fatalerror",
  "--report-on-signal",
  "--report-uncaught-exception",
  "--tls-keylog",
  "--trace-tls",
];
