import { PAST_FORMATS } from "../../backfill/plan.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../../log.ts";
import { REPORT_DIMENSIONS } from "../../reports/report.ts";
import { type Command, COMMANDS, FLAGS, FLAGS_OF_COMMANDS } from "./flags.ts";
import { RULE_FORMATS } from "../print-rules.ts";
import { REPORT_FORMATS } from "./report-flags.ts";
import { type Shell, SHELLS } from "./shell.ts";
import { SIMULATE, SIMULATE_FLAGS } from "./simulate-flags.ts";

/** A script that completes commands, flags and their values in a shell, made from the table of the command line. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case "bash":
      return bashScript();
    case "zsh":
      return zshScript();
    case "fish":
      return fishScript();
  }
}

type Flag = keyof typeof FLAGS | keyof typeof SIMULATE_FLAGS;

/** The commands that can be completed. Completion needs an installed npm package, which has one command more. */
const WORDS = [...COMMANDS, SIMULATE] as const;
type Word = Command | typeof SIMULATE;

/** What follows a flag: some words, a file or a folder. Nothing completes the value of any other flag. */
const VALUES: readonly (readonly [
  flag: Flag,
  value: readonly string[] | "file" | "folder",
  command?: Word,
])[] = [
  ["config.file", "file"],
  ["web.config.file", "file"],
  ["output", "folder"],
  ["log.level", LOG_LEVELS],
  ["log.format", LOG_FORMATS],
  ["format", RULE_FORMATS, "rules"],
  ["format", REPORT_FORMATS, "report"],
  ["format", PAST_FORMATS, "backfill"],
  ["by", REPORT_DIMENSIONS],
  ["last", ["month", "week"]],
  ["dir", "folder", SIMULATE],
];

/** These commands read no configuration and start no server. */
const WITHOUT_CONFIGURATION: readonly Command[] = ["rules", "dashboards", "completion"];

const ALL = flagsIn(FLAGS);
const OF_SIMULATE = flagsIn(SIMULATE_FLAGS);

function flagsIn(table: Readonly<Record<string, { readonly type: string }>>) {
  return Object.entries(table).map(([name, { type }]) => ({ name, takesValue: type === "string" }));
}

/** The flags that a command line may have, by its command; undefined: without a command. */
function flagsOf(command: Word | undefined): typeof ALL {
  if (command === SIMULATE) return OF_SIMULATE;
  return ALL.filter(({ name }) => {
    if (name === "once") return command === undefined;
    if (name === "help" || name === "version") return true;
    const [only] = FLAGS_OF_COMMANDS.filter(([flag]) => flag === name);
    if (only) return only.slice(1).some((each) => each === command);
    return command === undefined || !WITHOUT_CONFIGURATION.includes(command);
  });
}

/** `--flag`, or `--flag=` if it takes a value. */
function written({ name, takesValue }: (typeof ALL)[number]): string {
  return `--${name}${takesValue ? "=" : ""}`;
}

/** Lines of a `case "$command:$flag"` of bash and zsh. */
function valueCases(file: string, folder: string, words: (list: string) => string): string {
  const cases = VALUES.map(([flag, value, command]) => {
    const action = value === "file" ? file : value === "folder" ? folder : words(value.join(" "));
    return `    ${command ?? "*"}:--${flag}) ${action}; return ;;`;
  });
  const others = [...ALL, ...OF_SIMULATE]
    .filter(({ takesValue }) => takesValue)
    .map(({ name }) => `*:--${name}`);
  return [...cases, `    ${others.join("|")}) return ;;`].join("\n");
}

/** Lines of a `case "$command"` of bash and zsh. */
function flagCases(add: (flags: string) => string): string {
  const line = (pattern: string, command: Word | undefined) =>
    `    ${pattern}) ${add(flagsOf(command).map(written).join(" "))} ;;`;
  return [...WORDS.map((command) => line(command, command)), line("*", undefined)].join("\n");
}

/** Bash takes the equals sign for the end of a word, so the words are read from the line. */
function bashScript(): string {
  return `# Completion of aigateway-exporter for bash.
_aigateway_exporter() {
  local line=\${COMP_LINE:0:COMP_POINT} current='' command='' flag='' word
  local -a words
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then current=\${words[-1]}; unset 'words[-1]'; fi
  for word in "\${words[@]:1}"; do
    case $word in ${WORDS.join("|")}) command=$word; break ;; esac
  done
  if [[ $current == --*=* ]]; then flag=\${current%%=*} current=\${current#*=}
  elif [[ \${words[-1]} == --* ]]; then flag=\${words[-1]}; fi
  COMPREPLY=()
  case $command:$flag in
${valueCases(
  'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current")',
  'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current")',
  (list) => `mapfile -t COMPREPLY < <(compgen -W '${list}' -- "$current")`,
)}
  esac
  if [[ $current != -* ]]; then
    case $command in
    '') mapfile -t COMPREPLY < <(compgen -W '${WORDS.join(" ")}' -- "$current") ;;
    completion) mapfile -t COMPREPLY < <(compgen -W '${SHELLS.join(" ")}' -- "$current") ;;
    esac
    return
  fi
  case $command in
${flagCases((flags) => `mapfile -t COMPREPLY < <(compgen -W '${flags}' -- "$current")`)}
  esac
  if [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}
complete -F _aigateway_exporter aigateway-exporter
`;
}

function zshScript(): string {
  return `#compdef aigateway-exporter
# Completion of aigateway-exporter for zsh.
_aigateway_exporter() {
  local command='' flag='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in ${WORDS.join("|")}) command=$word; break ;; esac
  done
  if [[ $PREFIX == --*=* ]]; then flag=\${PREFIX%%=*}; compset -P 1 '*='
  elif [[ \${words[CURRENT-1]} == --* ]]; then flag=\${words[CURRENT-1]}; fi
  case $command:$flag in
${valueCases("_files", "_files -/", (list) => `compadd -- ${list}`)}
  esac
  if [[ $PREFIX != -* ]]; then
    case $command in
    '') compadd -- ${WORDS.join(" ")} ;;
    completion) compadd -- ${SHELLS.join(" ")} ;;
    esac
    return
  fi
  local -a flags
  case $command in
${flagCases((flags) => `flags=(${flags})`)}
  esac
  compadd -S '' -- \${(M)flags:#*=}
  compadd -- \${flags:#*=}
}
if [[ $funcstack[1] == _aigateway-exporter ]]; then _aigateway_exporter; else compdef _aigateway_exporter aigateway-exporter; fi
`;
}

function fishScript(): string {
  const complete = "complete --command aigateway-exporter";
  const without = `not __fish_seen_subcommand_from ${WORDS.join(" ")}`;
  const condition = (command: Word | undefined) =>
    `--condition '${command === undefined ? without : `__fish_seen_subcommand_from ${command}`}'`;
  const flags = [...WORDS, undefined].flatMap((command) =>
    flagsOf(command).map(({ name, takesValue }) => {
      const [, value] =
        VALUES.find(([flag, , only]) => flag === name && (only === undefined || only === command)) ?? [];
      const action = value === undefined ? (takesValue ? " --exclusive" : "") : fishValue(value);
      return `${complete} ${condition(command)} --long-option ${name}${action}`;
    }),
  );
  return `# Completion of aigateway-exporter for fish.
${complete} --no-files
${complete} ${condition(undefined)} --arguments '${WORDS.join(" ")}'
${complete} ${condition("completion")} --arguments '${SHELLS.join(" ")}'
${flags.join("\n")}
`;
}

function fishValue(value: readonly string[] | "file" | "folder"): string {
  if (value === "file") return " --require-parameter --force-files";
  if (value === "folder") return " --exclusive --arguments '(__fish_complete_directories)'";
  return ` --exclusive --arguments '${value.join(" ")}'`;
}
