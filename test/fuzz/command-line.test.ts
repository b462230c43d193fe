import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseCommandLine } from "../../exporter/cli/command-line/command-line.ts";
import { UsageError } from "../../exporter/cli/command-line/usage-error.ts";
import { HELP } from "../../exporter/cli/command-line/help.ts";
import { runs, TIMEOUT_MS } from "./runs.ts";

/** Every flag that the help names, without its value. */
const FLAGS = [...HELP.matchAll(/^\s+(?:-h, )?(--[\w.-]+)/gm)].flatMap(([, flag]) => flag ?? []);

const port = fc.oneof(fc.nat(70_000), fc.integer()).map(String);
const value = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "debug", "json", "logfmt", "/metrics", "/-/x", "/", "a b", "-h"),
  fc
    .tuple(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6().map((address) => `[${address}]`),
        fc.domain(),
        fc.string(),
      ),
      port,
    )
    .map(([host, number]) => `${host}:${number}`),
  port.map((number) => `:${number}`),
);
const flag = fc.oneof(
  fc.constantFrom(...FLAGS),
  fc.string().map((name) => `--${name}`),
);
const word = fc.oneof(
  value,
  flag,
  fc.tuple(flag, value).map(([name, given]) => `${name}=${given}`),
  fc.constantFrom("check", "--", "-", "-h", "-x", "--no-once"),
);

test(
  "any command line gives usable options or a UsageError with a message",
  () => {
    const seen = new Map<string, number>();
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    const property = fc.property(fc.array(word, { maxLength: 5 }), (argv) => {
      try {
        const line = parseCommandLine(argv);
        count(line.command);
        if (!("options" in line)) return;
        const { listen, telemetryPath } = line.options;
        expect(listen.length).toBeGreaterThan(0);
        for (const address of listen) {
          expect(Number.isInteger(address.port) && address.port >= 0 && address.port <= 65_535).toBe(true);
        }
        expect(telemetryPath).toMatch(/^\/[^\s?#]+$/);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        count(error.message === "" ? "refused without reason" : "refused");
      }
    });
    fc.assert(property, runs(3000));
    expect(FLAGS.length).toBeGreaterThan(7);
    for (const command of ["run", "check", "help", "refused"]) expect(seen.get(command)).toBeGreaterThan(10);
    expect(seen.has("refused without reason")).toBe(false);
  },
  TIMEOUT_MS,
);
