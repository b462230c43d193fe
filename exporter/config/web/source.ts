import type { Log } from "../../log.ts";
import { readingFault } from "../file-error.ts";
import type { Files } from "../files.ts";
import { formatProblem, type Problem } from "../problem.ts";
import { MOST_WEB_BYTES } from "./certificates.ts";
import type { WebConfig, WebSource } from "./web-config.ts";
import { loadWebConfig } from "./load.ts";

/**
 * The web configuration in its current state. Its files are read for each use, and parsed when their content has
 * changed. While reading them takes long, the state that was last read serves. If the configuration is unusable,
 * nothing is served. If only its certificate or key is, the previous certificate stays in use.
 */
export function createWebSource(
  path: string,
  initial: WebConfig,
  { readFile }: Pick<Files, "readFile">,
  log: Pick<Log, "error" | "info">,
  patienceMs = PATIENCE_MS,
): WebSource {
  let last: Loaded | undefined;
  let good = initial;
  let underWay: Promise<WebConfig | undefined> | undefined;
  let reported = "";
  let isUpToDate = true;

  async function refresh(): Promise<WebConfig | undefined> {
    if (last && (await isUnchanged(last.contents, readFile))) return last.usable;
    const contents = new Map<string, string>();
    const loaded = await loadWebConfig(path, { readFile: recorded(contents, readFile) }, good);
    const removed = loaded.config ? removals(initial, loaded.config) : [];
    const problems = [...(loaded.ok ? [] : loaded.problems), ...removed];
    if (loaded.ok && removed.length === 0) good = loaded.config;
    const usable = removed.length === 0 ? loaded.config : undefined;
    report(problems, usable !== undefined);
    isUpToDate = problems.length === 0;
    last = { contents, usable };
    return usable;
  }

  /** Logs each state once, because the state is checked at every request. */
  function report(problems: readonly Problem[], serves: boolean): void {
    const text = problems.map((problem) => formatProblem(path, problem)).join("\n");
    if (text === reported) return;
    const consequence = serves
      ? "the previous certificate stays in use"
      : "nothing is served until that is fixed";
    for (const problem of problems) log.error({}, `${formatProblem(path, problem)}; ${consequence}`);
    if (problems.length === 0) log.info({}, `${path}: is usable again`);
    reported = text;
  }

  return {
    isSecure: initial.tls !== undefined,
    isUpToDate: () => isUpToDate,
    current: () => {
      underWay ??= patiently(
        refresh().finally(() => {
          underWay = undefined;
        }),
        last,
        patienceMs,
      );
      return underWay;
    },
  };
}

/** A busy disk must not delay every answer. Reading a file ends after a few seconds, if only by its deadline. */
const PATIENCE_MS = 500;

/** The result of a check of the files, or that of the check before if this one takes too long. */
function patiently(
  checked: Promise<WebConfig | undefined>,
  before: Loaded | undefined,
  patienceMs: number,
): Promise<WebConfig | undefined> {
  if (!before) return checked;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(before.usable), patienceMs);
    checked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

interface Loaded {
  /** The content of every file, or why it could not be read, by path. */
  readonly contents: ReadonlyMap<string, string>;
  readonly usable: WebConfig | undefined;
}

type ReadFile = Files["readFile"];

/** A half-written file must not remove the access control. */
function removals(initial: WebConfig, next: WebConfig): readonly Problem[] {
  const isTls = switched("tls_server_config", initial.tls !== undefined, next.tls !== undefined);
  const asked = asksForCertificates(initial) && next.tls !== undefined;
  return [
    ...isTls,
    ...(asked ? switched("tls_server_config.client_auth_type", true, asksForCertificates(next)) : []),
    ...(initial.users.size > 0 ? switched("basic_auth_users", true, next.users.size > 0) : []),
  ];
}

function switched(path: string, before: boolean, after: boolean): readonly Problem[] {
  if (before === after) return [];
  return [{ path, message: `was ${after ? "added" : "removed"}, which requires a restart` }];
}

function asksForCertificates({ tls }: WebConfig): boolean {
  return tls !== undefined && tls.clientAuth !== "none";
}

function recorded(contents: Map<string, string>, readFile: ReadFile): ReadFile {
  return async (path, mostBytes) => {
    try {
      const text = await readFile(path, mostBytes);
      contents.set(path, text);
      return text;
    } catch (error) {
      contents.set(path, faultMark(error));
      throw error;
    }
  };
}

async function isUnchanged(contents: ReadonlyMap<string, string>, readFile: ReadFile): Promise<boolean> {
  const same = [...contents].map(
    async ([path, before]) => (await readFile(path, MOST_WEB_BYTES).catch(faultMark)) === before,
  );
  return (await Promise.all(same)).every(Boolean);
}

/** Marks a fault with a leading NUL character, which no text file begins with. */
function faultMark(error: unknown): string {
  return `\0${readingFault(error)}`;
}
