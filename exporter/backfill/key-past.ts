import { keyFamilies as families } from "../collectors/key-families.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import { type Family, sample } from "../metrics/family.ts";
import { type Window, WINDOW_KINDS, windowAt } from "../time/window.ts";
import { amountsOf, type PastAnswer } from "./answers.ts";
import { createCurve, type Curve, rounded } from "./curve.ts";
import type { DaySeries } from "./day-series.ts";
import type { BackfillPlan, PlannedKey, SampleTime } from "./plan.ts";

interface Amounts {
  readonly credits: Float64Array;
  readonly byok: Float64Array;
  /** Whether BYOK is part of the credits. */
  isByokUnknown: boolean;
  /** Whether a row has a BYOK amount, and whether one with requests has none. */
  hasByok: boolean;
  lacksByok: boolean;
  /** Used since the live series began. */
  after: readonly [credits: number, byok: number];
  /** Made once all answers are added. */
  curves?: Readonly<Record<"credits" | "byok", Curve>>;
}

/** The past of all keys, in about 20 bytes for each key and bucket. */
export function createKeyPast(plan: BackfillPlan, buckets: readonly Window[]) {
  const indexes = new Map(buckets.map(({ startMs }, index) => [startMs, index]));
  const amounts = new Map<string, Amounts>();

  function amountsFor(hash: string): Amounts {
    const known = amounts.get(hash);
    if (known) return known;
    const made: Amounts = {
      credits: new Float64Array(buckets.length),
      byok: new Float64Array(buckets.length),
      isByokUnknown: false,
      hasByok: false,
      lacksByok: false,
      after: [0, 0],
    };
    amounts.set(hash, made);
    return made;
  }

  function add({ subject, rows, isAfter, isByokUnknown }: PastAnswer): void {
    const own = amountsFor(subject);
    if (isByokUnknown && rows.length > 0) own.isByokUnknown = true;
    for (const row of rows) {
      const { credits = 0, byokCredits, requests } = amountsOf(row);
      own.hasByok ||= byokCredits !== undefined;
      own.lacksByok ||= byokCredits === undefined && requests !== 0;
      if (isAfter === true) own.after = [credits, byokCredits ?? 0];
      const index = isAfter === true ? undefined : indexes.get(row.startMs);
      if (index === undefined) continue;
      own.credits[index] = credits;
      own.byok[index] = byokCredits ?? 0;
    }
  }

  /**
   * A missing amount means 0 if other rows have one or the row has no requests. Otherwise only an all-time
   * BYOK of 0 shows that none was used.
   */
  function isByokKnown({ hash, byokUsage }: PlannedKey): boolean {
    const { isByokUnknown, hasByok, lacksByok } = amountsFor(hash);
    return !isByokUnknown && (hasByok || !lacksByok || byokUsage === 0);
  }

  function curveOf(key: PlannedKey, part: "credits" | "byok"): Curve | undefined {
    if (part === "byok" && !isByokKnown(key)) return undefined;
    const own = amountsFor(key.hash);
    own.curves ??= { credits: createCurve(buckets, own.credits), byok: createCurve(buckets, own.byok) };
    return own.curves[part];
  }

  /** The series of a day, family by family. */
  function* series(day: Window, times: readonly SampleTime[]): Generator<DaySeries> {
    yield* constants(times);
    for (const kind of WINDOW_KINDS) {
      const { startMs } = windowAt(kind, day.startMs);
      if (startMs < plan.dataStartMs) continue;
      for (const part of ["credits", "byok"] as const) {
        yield* ofKeys(WINDOW_FAMILIES[kind][part], times, (key) => {
          const curve = curveOf(key, part);
          return curve && (({ untilMs }) => curve.between(startMs, untilMs));
        });
      }
    }
    for (const [index, part] of (["credits", "byok"] as const).entries()) {
      yield* ofKeys(TOTAL_FAMILIES[part], times, (key) => {
        const curve = curveOf(key, part);
        const total = part === "credits" ? key.usage : key.byokUsage;
        if (!curve || total === undefined) return undefined;
        const atEnd = decimalRest(total, [amountsFor(key.hash).after[index] ?? 0]);
        return ({ untilMs }) => rounded(atEnd - curve.between(untilMs, plan.untilMs));
      });
    }
  }

  function* constants(times: readonly SampleTime[]): Generator<DaySeries> {
    for (const key of plan.keys) {
      const { team, project, costCenter } = key.owner;
      const labels = { key: key.name, team, project, cost_center: costCenter };
      const [text] = sample(families.ownerInfo, labels, 1);
      if (text) yield* valuesOf(key, families.ownerInfo, text.labels, times, () => 1);
    }
    yield* ofKeys(families.byokInLimit, times, ({ byokInLimit }) =>
      byokInLimit === undefined ? undefined : () => Number(byokInLimit),
    );
    yield* ofKeys(
      families.lastSuccess,
      times,
      () =>
        ({ atMs }) =>
          atMs / 1000,
    );
  }

  function* ofKeys(
    family: Family<"key">,
    times: readonly SampleTime[],
    valueOf: (key: PlannedKey) => ((time: SampleTime) => number) | undefined,
  ): Generator<DaySeries> {
    for (const key of plan.keys) {
      const value = valueOf(key);
      const [text] = sample(family, { key: key.name }, 0);
      if (value && text) yield* valuesOf(key, family, text.labels, times, value);
    }
  }

  return { add, series };
}

/** No values from before the key was created. */
function* valuesOf(
  { createdAtMs = 0 }: PlannedKey,
  family: Family,
  labels: string,
  times: readonly SampleTime[],
  valueOf: (time: SampleTime) => number,
): Generator<DaySeries> {
  if ((times.at(-1)?.atMs ?? 0) < createdAtMs) return;
  const values = new Float64Array(times.length);
  for (const [index, time] of times.entries()) {
    values[index] = time.atMs < createdAtMs ? Number.NaN : valueOf(time);
  }
  yield { family, labels, values };
}

const WINDOW_FAMILIES = {
  day: { credits: families.usageDay, byok: families.byokUsageDay },
  week: { credits: families.usageWeek, byok: families.byokUsageWeek },
  month: { credits: families.usageMonth, byok: families.byokUsageMonth },
} as const;
const TOTAL_FAMILIES = { credits: families.usage, byok: families.byokUsage } as const;
