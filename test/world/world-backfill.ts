import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PastAnswer } from "../../exporter/backfill/answers.ts";
import {
  type BackfillPlan,
  type BackfillRequest,
  makePlan,
  planTimes,
  SHORT_REACH_DAYS,
  withoutKey,
} from "../../exporter/backfill/plan.ts";
import { requestPast } from "../../exporter/backfill/request-past.ts";
import { writeDays } from "../../exporter/backfill/write-days.ts";
import type { createAccountGateway } from "../../exporter/cli/command-gateway.ts";
import { NOTHING_ANSWERED } from "../exporter/backfill/default-plan.ts";
import type { Config } from "../../exporter/config/config.ts";

/** What a backfill would ask, and what it writes. */
export interface WorldBackfill {
  readonly plan: BackfillPlan;
  /** The text of each written day. */
  readonly days: readonly string[];
}

/**
 * Asks for today and yesterday as the command does, until now. The result writes the days: files take real time.
 * @throws GatewayError, PastError
 */
export async function askPast(
  config: Config,
  nowMs: number,
  gateway: ReturnType<typeof createAccountGateway>,
): Promise<() => Promise<WorldBackfill>> {
  let plan = await makePlan(REQUEST, planTimes(REQUEST, nowMs, SHORT_REACH_DAYS), config, nowMs, gateway);
  const leaveOut = (hash: string, error: unknown) => {
    plan = withoutKey(plan, hash, String(error));
  };
  const answers: PastAnswer[] = [];
  for await (const answer of requestPast(plan, NOTHING_ANSWERED, gateway, leaveOut)) answers.push(answer);
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), "world-backfill-"));
    try {
      const days: string[] = [];
      for await (const { name } of writeDays(plan, { answers: () => each(answers) }, folder))
        days.push(readFileSync(join(folder, name), "utf8"));
      return { plan, days };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

const REQUEST: BackfillRequest = {
  days: 2,
  untilMs: undefined,
  stepMs: 3_600_000,
  format: "openmetrics",
  job: "world",
  instance: "world:1",
  gateway: "",
};

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
