import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand, untilSignal } from "./command.ts";
import { createGateway, type Gateway, startProblem } from "./gateway.ts";

const help = `Simulated AI gateway: the contract over HTTP, with seeded spending (test/gateway/README.md).

Usage: npm run gateway -- [options]
  --port <n>          port on 127.0.0.1, 0 for any free port (8402)
  --seed <n>          the same seed and times produce the same books (1)
  --keys <n>          keys that spend (20)
  --models <n>        models (24)
  --apps <n>          apps (12)
  --history-days <n>  days of spending before the start (35)
  --start-at <time>   initial time of the gateway's clock, ISO 8601 UTC (now)
  --speed <n>         speed of the clock (1)
  --tokens-dir <dir>  write the tokens to <dir>/management and <dir>/keys/<name>
  --help              show this help
`;

const options = {
  port: { type: "string", default: "8402" },
  seed: { type: "string", default: "1" },
  keys: { type: "string", default: "20" },
  models: { type: "string", default: "24" },
  apps: { type: "string", default: "12" },
  "history-days": { type: "string", default: "35" },
  "start-at": { type: "string" },
  speed: { type: "string", default: "1" },
  "tokens-dir": { type: "string" },
  help: { type: "boolean", default: false },
} as const;

process.exitCode = await runCommand({ help, hint: "Run with --help to see the options", read, run });

function parse(args: string[]) {
  return parseArgs({ args, options }).values;
}

function read(args: string[]) {
  const values = parse(args);
  const gateway = createGateway(readOptions(values));
  gateway.clock.speed = readCount(values.speed, "speed");
  return { ...values, gateway, port: readCount(values.port, "port") };
}

async function run({ gateway, port, ...values }: ReturnType<typeof read>): Promise<number> {
  const stopSignal = untilSignal();
  try {
    await gateway.start(port);
    await announce(gateway, values["tokens-dir"]);
  } catch (error) {
    process.stderr.write(`${startProblem(error, port)}\n`);
    await gateway.stop();
    return 1;
  }
  await stopSignal;
  await gateway.stop();
  return 0;
}

function readOptions(values: ReturnType<typeof parse>) {
  const startAt = values["start-at"];
  return {
    seed: readCount(values.seed, "seed"),
    keys: readCount(values.keys, "keys"),
    models: readCount(values.models, "models"),
    apps: readCount(values.apps, "apps"),
    historyDays: readCount(values["history-days"], "history-days"),
    ...(startAt === undefined ? {} : { startAt: readTime(startAt) }),
  };
}

function readCount(text: string, name: string): number {
  const value = Number(text);
  const isWhole = name === "speed" || Number.isInteger(value);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0 || !isWhole) {
    throw new Error(
      `Cannot use --${name} "${text}": expected a ${name === "speed" ? "number" : "whole number"} of at least 0`,
    );
  }
  return value;
}

function readTime(text: string): number {
  const at = text.endsWith("Z") ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new Error(`Cannot use --start-at "${text}": expected ISO 8601 UTC (YYYY-MM-DDTHH:MM:SSZ)`);
  return at;
}

async function announce(gateway: Gateway, tokensDirectory: string | undefined): Promise<void> {
  const lines = [`Simulated gateway: ${gateway.url}`, `Management token: ${gateway.managementToken}`];
  if (tokensDirectory === undefined) {
    lines.push(`Tokens of ${gateway.tokens.size} keys: GET ${new URL("/_sim/keys", gateway.url).href}`);
  } else {
    await writeTokens(gateway, tokensDirectory);
    lines.push(`Tokens of ${gateway.tokens.size} keys: ${join(tokensDirectory, "keys")}`);
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function writeTokens(gateway: Gateway, directory: string): Promise<void> {
  await mkdir(join(directory, "keys"), { recursive: true });
  await writeFile(join(directory, "management"), `${gateway.managementToken}\n`);
  await Promise.all(
    [...gateway.tokens].map(([name, token]) => writeFile(join(directory, "keys", name), `${token}\n`)),
  );
}
