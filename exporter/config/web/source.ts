import type { Log } from "../../log.ts";
import type { Files, FileVersions } from "../../secrets/files.ts";
import { createSeenVersions } from "../followed-files.ts";
import { formatProblem, type Problem } from "../problem.ts";
import { loadWebConfig } from "./load.ts";
import type { WebConfig, WebSource } from "./schema.ts";

/**
 * The web configuration in its current state. Its files are read again when they have changed. If the configuration is unusable, nothing is served. If only its certificate or key is, the previous certificate stays in use.
 */
export function createWebSource(
  path: string,
  initial: WebConfig,
  files: Pick<Files, "readFile"> & FileVersions,
  log: Pick<Log, "error" | "info">,
): WebSource {
  const seen = createSeenVersions(files);
  let last: { readonly usable: WebConfig | undefined } | undefined;
  let good = initial;
  let underWay: Promise<WebConfig | undefined> | undefined;
  let reported = "";
  let isUpToDate = true;

  async function refresh(): Promise<WebConfig | undefined> {
    if (last && (await seen.change()) === undefined) return last.usable;
    seen.forget();
    const loaded = await loadWebConfig(path, { readFile }, good);
    const removed = loaded.config ? removals(initial, loaded.config) : [];
    const problems = [...(loaded.ok ? [] : loaded.problems), ...removed];
    if (loaded.ok && removed.length === 0) good = loaded.config;
    const usable = removed.length === 0 ? loaded.config : undefined;
    report(problems, usable !== undefined);
    isUpToDate = problems.length === 0;
    last = { usable };
    return usable;
  }

  async function readFile(name: string, mostBytes: number): Promise<string> {
    await seen.note(name);
    return files.readFile(name, mostBytes);
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
    initial,
    isUpToDate: () => isUpToDate,
    certificateEndMs: () => good.tls?.certificateEndMs,
    current: () => {
      underWay ??= refresh().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}

/** A half-written file must not remove the access control, and a server keeps asking for certificates or not. */
function removals(initial: WebConfig, next: WebConfig): readonly Problem[] {
  const switched = (path: string, has: (config: WebConfig) => boolean): readonly Problem[] =>
    has(initial) === has(next)
      ? []
      : [{ path, message: `was ${has(next) ? "added" : "removed"}, which requires a restart` }];
  const tls = switched("tls_server_config", (config) => config.tls !== undefined);
  return [
    ...(tls.length > 0 ? tls : switched("tls_server_config.client_auth_type", asksForCertificates)),
    ...(initial.users.size > 0 ? switched("basic_auth_users", ({ users }) => users.size > 0) : []),
  ];
}

function asksForCertificates({ tls }: WebConfig): boolean {
  return tls !== undefined && tls.clientAuth !== "none";
}
