import { type InspectedServer, inspectServer } from "../../backfill/inspect-server.ts";
import { type BackfillPlan, type BackfillRequest, daysToKeep } from "../../backfill/plan.ts";
import { createPrometheusApi } from "../../backfill/prometheus-api.ts";
import type { Clock } from "../../time/clock.ts";
import { utcText } from "../../time/utc-time.ts";
import type { ProblemReporter } from "../load-configuration.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Asks the server of `--url`, and prints what it reports.
 * @throws PrometheusError
 */
export async function askServer(
  url: string,
  request: BackfillRequest,
  { stderr, clock }: { readonly stderr: Terminal["stderr"]; readonly clock: Clock },
): Promise<InspectedServer> {
  const server = await inspectServer(createPrometheusApi(url), request, clock.now());
  const series =
    server.firstMs === undefined
      ? "It does not have these series yet"
      : `These series begin at ${utcText(server.firstMs)}`;
  stderr.write(`${server.name} keeps ${server.retention || "an unknown time"}. ${series}.\n`);
  return server;
}

/** Warns of what would make the import fail, or delete the past. */
export function warnOfServer(
  { name, isOld, retention, retentionFlag, keptDays, isSizeLimited, otherTargets, firstMs }: InspectedServer,
  plan: BackfillPlan,
  reporter: ProblemReporter,
): void {
  const days = daysToKeep(plan);
  if (keptDays === undefined)
    reporter.warning(`${name} does not report how long it keeps samples: it must be ${days}d`);
  else if (keptDays < days)
    reporter.warning(
      `${name} keeps ${retention} and would delete what is older at once: set ${retentionFlag}=${days}d or more before the import`,
    );
  if (isSizeLimited)
    reporter.warning(
      `${name} deletes the oldest blocks beyond a size (${retention}): the past must fit into it`,
    );
  if (isOld)
    reporter.warning(`${name} is older than 2.42, the oldest version with which the import is tested`);
  if (otherTargets.length > 0)
    reporter.warning(
      `the live series have the labels {${otherTargets.slice(0, SHOWN).join("}, {")}}, and none has {${plan.target}}: set --job, --instance and --gateway to the labels of the live series`,
    );
  if (firstMs !== undefined && firstMs - plan.untilMs > plan.stepMs)
    reporter.warning(
      `the live series begin at ${utcText(firstMs)}, and the past ends at ${utcText(plan.untilMs)}: there are no samples in between`,
    );
}

const SHOWN = 3;
