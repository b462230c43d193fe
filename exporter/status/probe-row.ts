import type { ProbeConfig, ProbingConfig } from "../config/config.ts";
import type { ProbeRow, ProbesOverview } from "./overview.ts";
import type { Family } from "../metrics/family.ts";
import type { Store } from "../readings/store.ts";
import { probeFamilies } from "../probes/families.ts";
import { targetOf } from "../probes/probe-board.ts";
import type { ProbeRecords } from "../probes/probe-records.ts";

interface Source {
  readonly store: Store;
  readonly records: ProbeRecords;
}

/** The probes as `/metrics` shows them; undefined: none are configured. */
export function probesOverview(
  probing: ProbingConfig | undefined,
  source: Source,
): ProbesOverview | undefined {
  if (!probing) return undefined;
  return {
    rows: probing.probes.map((probe) => probeRow(probe, source)),
    spentToday: valueOf(source.store, "probe-spend")(probeFamilies.spendDay),
    ceiling: probing.ceilingCredits,
  };
}

function probeRow({ name, model, key, maxWordErrorRate }: ProbeConfig, { store, records }: Source): ProbeRow {
  const value = valueOf(store, targetOf(name));
  const record = records.get(name);
  const success = value(probeFamilies.success);
  return {
    name,
    model,
    key,
    state: success === undefined ? "waiting" : success === 1 ? "up" : "down",
    failure: record?.failure,
    lastSuccessMs: record?.lastSuccessMs,
    lastRunMs: record?.lastRunMs,
    skip: record?.skip,
    wordErrorRate: value(probeFamilies.wordErrors),
    wordErrorLimit: maxWordErrorRate,
    durationSeconds: value(probeFamilies.duration),
    speedFactor: value(probeFamilies.speed),
    cost: value(probeFamilies.cost),
  };
}

function valueOf(store: Store, target: string): (family: Family) => number | undefined {
  const samples = store.visible(target);
  return (family) => samples.find((sample) => sample.family === family)?.value;
}
