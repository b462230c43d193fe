import { type Command, CommanderError } from "commander";
import { nearestName } from "../../nearest-name.ts";
import { redact } from "../../secrets/redact.ts";
import type { Terminal } from "../terminal.ts";
import { addCommands, type Commands, commands as allCommands } from "./commands.ts";
import { createProgram, optionsOf } from "./program.ts";
import { UsageError } from "./flag-values.ts";

/** Runs a command line and returns the exit code: 0 success, 1 failure, 2 usage error. */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
  commands: Commands = allCommands,
): Promise<number> {
  const program = createProgram(terminal.build.version);
  let exitCode = 0;
  addCommands(program, terminal, commands, (code) => (exitCode = code));
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => terminal.stdout.write(text), writeErr: () => {} });
  }
  try {
    await program.parseAsync(argv, { from: "user" }).catch(async (error: unknown) => {
      // Without a command commander wants to print the help.
      if (!(error instanceof CommanderError && error.code === "commander.help" && error.exitCode > 0))
        throw error;
      // `help chek`
      const [help, name = ""] = program.args;
      if (help !== undefined) throw new UsageError(unknownCommand(name, program));
      const daemon = program.getOptionValue("once") === true ? commands.once : commands.run;
      exitCode = await daemon(optionsOf(program), terminal);
    });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (!(error instanceof CommanderError || error instanceof UsageError)) throw error;
    terminal.stderr.write(`${redact(messageOf(error, program))}\nSee aigateway-exporter --help\n`);
    return 2;
  }
}

function messageOf(error: CommanderError | UsageError, program: Command): string {
  if (error instanceof UsageError) return error.message;
  const message = error.message.replace(/^error: /, "");
  // An argument that no command takes, such as `check config.yaml`.
  const file = /^(?:too many arguments.* |unknown command ')([^\s']+\.ya?ml)\b/.exec(message)?.[1];
  return file === undefined
    ? unknownFlag(message, program)
    : `${message}\n(Did you mean --config.file ${file}?)`;
}

function unknownCommand(name: string, { commands }: Command): string {
  const nearest = nearestName(
    name,
    commands.map((command) => command.name()),
  );
  return `unknown command '${name}'${nearest === undefined ? "" : `\n(Did you mean ${nearest}?)`}`;
}

/** What is wrong with an unknown flag: commander has no answer to `-config.file`, `--config` and `--log.levle=info`. */
function unknownFlag(message: string, program: Command): string {
  const [found = "", dashes, name = ""] = /unknown option '(--?)([\w.-]+).*/.exec(message) ?? [];
  if (dashes === undefined) return message;
  const ofProgram = flagNames(program).filter((known) => known.startsWith(name));
  const owners = program.commands.filter((command) => flagNames(command).includes(name));
  if (ofProgram.length === 0 && owners.length > 0)
    return `${found}\n(It belongs to the command ${owners.map((owner) => owner.name()).join(" or ")})`;
  const all = [program, ...program.commands].flatMap(flagNames);
  const begun = ofProgram.length > 0 ? ofProgram : all.filter((known) => known.startsWith(name));
  const similar = begun.length > 0 || name.length < 3 ? begun : [nearestName(name, all) ?? []].flat();
  return similar.length === 0 ? message : `${found}\n(Did you mean --${similar.join(" or --")}?)`;
}

function flagNames({ options }: Command): readonly string[] {
  return options.flatMap(({ long }) => long?.slice(2) ?? []);
}
