import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { completionScript } from "../../exporter/cli/command-line/completion.ts";
import { parseCommandLine } from "../../exporter/cli/command-line/command-line.ts";
import { COMMANDS } from "../../exporter/cli/command-line/flags.ts";
import { SIMULATE } from "../../exporter/cli/command-line/simulate-flags.ts";
import { runExporter } from "../support/exporter-process.ts";
import { describeWithTools } from "../support/tools.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "completion-test-"));
  writeFileSync(join(folder, "conf one.yaml"), "");
  mkdirSync(join(folder, "directory"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is typed, and what the shells offer. */
const OFFERS: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ["", [...COMMANDS, SIMULATE].toSorted()],
  ["re", ["report"]],
  ["completion ", ["bash", "fish", "zsh"]],
  ["rules --format=", ["kubernetes", "prometheus"]],
  ["report --format=", ["csv", "focus", "json", "markdown", "svg"]],
  ["backfill --format=", ["openmetrics", "remote-write", "victoria-metrics"]],
  ["report --by=te", ["team"]],
  ["--log.level=", ["debug", "error", "info", "warn"]],
  ["--o", ["--once"]],
  ["check --o", ["--online"]],
  ["dashboards --o", ["--output"]],
  ["--web.listen-address=", []],
  ["simulate --", ["--dir", "--help", "--port"]],
  ["simulate --port=", []],
];

describeWithTools(["bash"], "completion in bash", ({ bash }) => {
  const offered = (line: string): readonly string[] => {
    const ask = 'COMP_LINE=$1 COMP_POINT=${#1}; _aigateway_exporter; printf "%s\\n" "${COMPREPLY[@]}"';
    const { stdout, stderr } = spawnSync(bash, ["-c", `${completionScript("bash")}${ask}`, "bash", line], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    return linesOf(stdout);
  };

  test.each(OFFERS)("of %j", (typed, expected) => {
    expect(offered(`aigateway-exporter ${typed}`).map(withoutValue)).toEqual(expected);
  });

  test("of values after a blank, and of files and folders", () => {
    expect(offered("aigateway-exporter report --by te")).toEqual(["team"]);
    expect(offered("aigateway-exporter --config.file=co")).toEqual(["conf one.yaml"]);
    expect(offered("aigateway-exporter dashboards --output ")).toEqual(["directory"]);
    expect(offered("aigateway-exporter simulate --dir=")).toEqual(["directory"]);
  });

  test.each([
    "",
    "check",
    "probe x",
    "report",
    "backfill --dry-run",
    "rules",
    "dashboards --output=x",
    "completion bash",
  ])("offers only flags that the command line accepts: %j", (command) => {
    const flags = offered(`aigateway-exporter ${command} --`);
    expect(flags).toContain("--help");
    for (const flag of flags) {
      // A value may be wrong, but the flag belongs to the command.
      const parse = () => parseCommandLine([...command.split(" ").filter(Boolean), flag]);
      expect(() => messageOf(parse)).not.toThrow();
      expect(messageOf(parse)).not.toMatch(/applies to|does not apply|Unknown option/);
    }
  });
});

describeWithTools(["fish"], "completion in fish", ({ fish }) => {
  const offered = (line: string): readonly string[] => {
    const program = `${completionScript("fish")}complete --do-complete $argv[1]`;
    const { stdout, stderr } = spawnSync(fish, ["--no-config", "--command", program, line], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    });
    expect(stderr).toBe("");
    // A description may follow.
    return linesOf(stdout.replaceAll(/\t.*/g, ""));
  };

  test.each(OFFERS)("of %j", (typed, expected) => {
    const lines = offered(`aigateway-exporter ${typed}`);
    expect(lines.map((line) => withoutValue(line.replace(/^--[\w.-]+=(?=.)/, "")))).toEqual(expected);
  });

  test("of files and folders", () => {
    expect(offered("aigateway-exporter --config.file=co")).toEqual(["--config.file=conf one.yaml"]);
    expect(offered("aigateway-exporter dashboards --output ")).toEqual(["directory/"]);
  });
});

describeWithTools(["zsh"], "completion in zsh", ({ zsh }) => {
  test("of lines that have one completion", { timeout: 180_000 }, () => {
    const file = join(folder, "lines");
    mkdirSync(join(folder, "functions"));
    writeFileSync(join(folder, "functions", "_aigateway-exporter"), completionScript("zsh"));
    const completed = {
      re: "report ",
      "report --by=te": "report --by=team ",
      "rules --format ku": "rules --format kubernetes ",
      "report --format=f": "report --format=focus ",
      "completion fi": "completion fish ",
      "--on": "--once ",
      "check --on": "check --online ",
      si: "simulate ",
      "simulate --po": "simulate --port=",
      "dashboards --outp": "dashboards --output=",
      "dashboards --output di": "dashboards --output directory/",
      "--config.file=co": "--config.file=conf\\ one.yaml ",
      "--log.level=d": "--log.level=debug ",
    };
    const lines = Object.keys(completed).map((line) => `aigateway-exporter ${line}`);
    spawnSync(zsh, ["-f", "-c", TYPE, "zsh", join(folder, "functions"), file, ...lines], { cwd: folder });
    expect(readFileSync(file, "utf8").split("\n")).toEqual([
      ...Object.values(completed).map((line) => `aigateway-exporter ${line}`),
      "",
    ]);
  });
});

describe("the command completion", () => {
  test("prints the script", async () => {
    const result = await runExporter(["completion", "zsh"]);
    expect(result).toEqual({ code: 0, stdout: completionScript("zsh"), stderr: "" });
  });
});

/** Types lines into an interactive zsh, each with Tab, and writes what its editor then holds to a file. */
const TYPE = `zmodload zsh/zpty
folder=$1 file=$2; shift 2
zpty shell "$0 -f -i"
zpty -w shell "fpath=($folder \\$fpath); autoload -U compinit; compinit -u -D; unsetopt automenu beep
write-line() { print -r -- \\"\\$BUFFER\\" >> $file; BUFFER=''; }; zle -N write-line; bindkey '^T' write-line; bindkey '^I' complete-word"
for line in "$@"; do zpty -w -n shell "$line"$'\\t\\x14'; done
zpty -w shell exit
while zpty -r shell text; do :; done`;

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();
}

/** Fish adds no equals sign to a flag. */
function withoutValue(line: string): string {
  return line.replace(/=$/, "");
}

function messageOf(run: () => unknown): string {
  try {
    run();
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
