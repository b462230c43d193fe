import { appendFile, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../parse-json.ts";
import { type PastAnswer, pastAnswer, PAIRS } from "./answers.ts";
import type { AnsweredSoFar } from "./request-past.ts";
import { BackfillError, type BackfillPlan, backfillPlan } from "./plan.ts";

/**
 * The file in the output folder from which an interrupted backfill continues. Each line is a plan or an answer; the last
 * plan counts.
 */
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

export const STATE_NAME = "backfill-state.ndjson";
export const SCRIPT_NAME = "import.sh";

/** Opens the state of a folder, which is created if necessary. */
export async function openStateFile(folder: string): Promise<StateFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, STATE_NAME);
  const answeredEnds = new Set<string>();
  const afterKnown = new Set<string>();
  let plan: BackfillPlan | undefined;
  let pairsUntilMs: number | undefined;
  let count = 0;
  let mayHaveByok = false;

  function note({ subject, range, isAfter, isByokUnknown, rows }: PastAnswer): void {
    count++;
    mayHaveByok ||= isByokUnknown && rows.length > 0;
    if (isAfter === true) afterKnown.add(`${subject} ${range.endMs}`);
    else if (subject === PAIRS) pairsUntilMs = range.endMs;
    else answeredEnds.add(`${subject} ${range.endMs}`);
  }

  if (await isFile(path)) {
    for await (const record of recordsOf(path)) {
      const answer = pastAnswer.safeParse(record).data;
      if (answer && plan) note(answer);
      else plan = backfillPlan.safeParse(record).data;
      if (!plan)
        throw new BackfillError(
          `"${path}" was not written by a backfill of this version: use an empty folder`,
        );
    }
  } else if ((await readdir(folder)).length > 0) {
    throw new BackfillError(
      `"${folder}" (--output) is not empty, and no backfill was begun in it: use an empty folder`,
    );
  }
  // An interrupted line ends here.
  const append = (record: object) => appendFile(path, `\n${JSON.stringify(record)}\n`);

  return {
    get plan() {
      return plan;
    },
    answered: {
      count: () => count,
      has: (subject, endMs) => answeredEnds.has(`${subject} ${endMs}`),
      isAfterKnown: (hash, endMs) => afterKnown.has(`${hash} ${endMs}`),
      pairsUntilMs: () => pairsUntilMs,
    },
    mayHaveByok: () => mayHaveByok,
    begin: async (begun) => {
      await removeWritten(folder);
      await append(begun);
      plan = begun;
    },
    add: async (answer) => {
      await append(answer);
      note(answer);
    },
    answers: async function* () {
      for await (const record of recordsOf(path)) {
        const answer = pastAnswer.safeParse(record).data;
        if (answer) yield answer;
      }
    },
  };
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

/** The lines of the state; one that was not written completely is left out. */
async function* recordsOf(path: string): AsyncGenerator {
  const file = await open(path);
  try {
    for await (const line of file.readLines({ autoClose: false })) {
      const record = parseJson(line);
      if (record !== undefined) yield record;
    }
  } finally {
    await file.close();
  }
}
