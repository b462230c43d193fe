import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createGateway, type Gateway, messageOf, startProblem } from "./gateway.ts";

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

process.exitCode = await run(process.argv.slice(2));

/** Runs until SIGINT or SIGTERM. Exit codes: 0 stopped, 1 failed, 2 usage error. */
async function run(args: string[]): Promise<number> {
  let gateway: Gateway;
  let port: number;
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
    if (values.help) {
      process.stdout.write(help);
      return 0;
    }
    port = readCount(values.port, "port");
    gateway = createGateway(readOptions(values));
    gateway.clock.speed = readCount(values.speed, "speed");
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\nRun with --help to see the options\n`);
    return 2;
  }
  try {
    await gateway.start(port);
    await announce(gateway, values["tokens-dir"]);
  } catch (error) {
    process.stderr.write(`${startProblem(error, port)}\n`);
    await gateway.stop();
    return 1;
  }
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  await gateway.stop();
  return 0;
}

function parse(args: string[]) {
  return parseArgs({ args, options, allowPositionals: false }).values;
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
