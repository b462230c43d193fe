import { appendFile, mkdir, open, readdir, rename, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type PastAnswer, pastAnswer, PAIRS } from "./answers.ts";
import type { AnsweredSoFar } from "./ask-past.ts";
import { type BackfillPlan, backfillPlan } from "./plan.ts";

/** The file in the output folder that lets an interrupted backfill continue: the plan, then one answer in each line. */
export interface StateFile {
  /** Undefined: nothing was begun. */
  readonly plan: BackfillPlan | undefined;
  readonly answered: AnsweredSoFar;
  /** Whether the credits may contain BYOK. */
  mayHaveByok(): boolean;
  /** Keeps what is answered. Files of an earlier plan are removed. */
  begin(plan: BackfillPlan): Promise<void>;
  add(answer: PastAnswer): Promise<void>;
  /** All answers, in the order in which they came. */
  answers(): AsyncGenerator<PastAnswer>;
}

/** The folder cannot be used. */
export class StateError extends Error {}

export const STATE_NAME = "backfill-state.ndjson";
export const SCRIPT_NAME = "import.sh";

/** Opens the state of a folder, which is created if necessary. A line that was not written completely is removed. */
export async function openStateFile(folder: string): Promise<StateFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, STATE_NAME);
  const answeredEnds = new Set<string>();
  const afterKnown = new Set<string>();
  let plan: BackfillPlan | undefined;
  let pairsUntilMs: number | undefined;
  let answers = 0;
  let mayHaveByok = false;

  function note({ subject, range, isAfter, isByokUnknown, rows }: PastAnswer): void {
    answers++;
    mayHaveByok ||= isByokUnknown && rows.length > 0;
    if (isAfter === true) afterKnown.add(`${subject} ${range.endMs}`);
    else if (subject === PAIRS) pairsUntilMs = range.endMs;
    else answeredEnds.add(`${subject} ${range.endMs}`);
  }

  if (await isFile(path)) {
    let length = 0;
    for await (const line of linesOf(path)) {
      const value = parsed(line);
      if (value === undefined) break;
      const state = length === 0 ? backfillPlan.safeParse(value) : undefined;
      if (state && !state.success)
        throw new StateError(`"${path}" was not written by a backfill of this version: use an empty folder`);
      if (state) plan = state.data;
      else note(pastAnswer.parse(value));
      length += Buffer.byteLength(line) + 1;
    }
    const { size } = await stat(path);
    if (size > length) await truncate(path, length);
    if (size === length - 1) await appendFile(path, "\n");
  } else if ((await readdir(folder)).some((name) => name !== `${STATE_NAME}.unfinished`)) {
    throw new StateError(
      `"${folder}" (--output) is not empty, and no backfill was begun in it: use an empty folder`,
    );
  }

  return {
    get plan() {
      return plan;
    },
    answered: {
      count: () => answers,
      has: (subject, endMs) => answeredEnds.has(`${subject} ${endMs}`),
      isAfterKnown: (hash, endMs) => afterKnown.has(`${hash} ${endMs}`),
      pairsUntilMs: () => pairsUntilMs,
    },
    mayHaveByok: () => mayHaveByok,
    begin: async (begun) => {
      await removeWritten(folder);
      await writeWhole(path, linesWith(begun));
      plan = begun;
    },
    add: async (answer) => {
      await appendFile(path, `${JSON.stringify(answer)}\n`);
      note(answer);
    },
    answers: async function* () {
      for await (const line of answerLines()) yield pastAnswer.parse(JSON.parse(line));
    },
  };

  async function* answerLines(): AsyncGenerator<string> {
    let isFirst = true;
    for await (const line of linesOf(path)) {
      if (!isFirst && line !== "") yield line;
      isFirst = false;
    }
  }

  async function* linesWith(begun: BackfillPlan): AsyncGenerator<string> {
    yield `${JSON.stringify(begun)}\n`;
    if (plan) for await (const line of answerLines()) yield `${line}\n`;
  }
}

/** Removes the script first, so that it never imports a part of the days. */
async function removeWritten(folder: string): Promise<void> {
  await rm(join(folder, SCRIPT_NAME), { force: true });
  for (const name of await readdir(folder)) {
    if (/^\d{4}-\d\d-\d\d\./.test(name)) await rm(join(folder, name));
  }
}

/** Writes a file that appears only when it is complete. Returns its size in bytes. */
export async function writeWhole(
  path: string,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<number> {
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, "w");
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      // Not `write`, which writes a part only if the disk is nearly full.
      await file.appendFile(piece);
      bytes += Buffer.byteLength(piece);
    }
    await file.sync();
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  return bytes;
}

export async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path);
  try {
    yield* createInterface({ input: file.createReadStream({ autoClose: false }), crlfDelay: Infinity });
  } finally {
    await file.close();
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
