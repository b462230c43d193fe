import { expect, test } from "vitest";
import { type NodeState, processWarnings } from "../../../exporter/cli/daemon/process-warnings.ts";

const PLAIN: NodeState = { options: [], isDebuggable: false };

test("processWarnings() has nothing to say about the options of the image", () => {
  const options = ["--no-allocation-site-pretenuring", "--disable-sigusr1"];
  const env = { NODE_OPTIONS: "--max-old-space-size=192", NODE_ENV: "production", NODE_DEBUG: "" };
  expect(processWarnings({ ...PLAIN, options }, env)).toEqual([]);
});

test.each<[string, NodeState, Readonly<Record<string, string>>, RegExp]>([
  ["a debugger", { ...PLAIN, isDebuggable: true }, {}, /--inspect/],
  ["an option", { ...PLAIN, options: ["--report-on-signal"] }, {}, /--report-on-signal can/],
  ["an option with a value", { ...PLAIN, options: ["--tls-keylog=/tmp/keys"] }, {}, /--tls-keylog can/],
  [
    "an option of NODE_OPTIONS",
    PLAIN,
    { NODE_OPTIONS: "--a --heapsnapshot-signal=SIGUSR2" },
    /--heapsnapshot-signal can/,
  ],
  [
    "a quoted option",
    PLAIN,
    { NODE_OPTIONS: '"--report-uncaught-exception"' },
    /--report-uncaught-exception can/,
  ],
  ["an option with underscores", { ...PLAIN, options: ["--tls_keylog=/tmp/a_b"] }, {}, /--tls-keylog can/],
  ["underscores in NODE_OPTIONS", PLAIN, { NODE_OPTIONS: "--report_on_signal" }, /--report-on-signal can/],
  ["NODE_DEBUG", PLAIN, { NODE_DEBUG: "http" }, /NODE_DEBUG can/],
])("processWarnings() warns about %s", (_name, node, env, text) => {
  expect(processWarnings(node, env)).toEqual([expect.stringMatching(text)]);
});
