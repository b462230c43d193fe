import type { UnwatchedReading } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { type TargetRow, targetRow } from "./target-rows.ts";

/** What no watched key explains. Amounts are credits; undefined: unknown. */
export interface UnwatchedRow
  extends TargetRow, Pick<UnwatchedReading, "unresolvedKeys" | "unresolvedNames"> {
  readonly day: number | undefined;
  readonly month: number | undefined;
}

export function unwatchedRow(readings: ReadingSource): UnwatchedRow {
  const id = targetId("unwatched", "unwatched");
  const row = targetRow("unwatched", readings.status(id));
  const reading = readings.shown(id);
  if (reading?.value?.kind !== "unwatched")
    return { ...row, day: undefined, month: undefined, unresolvedKeys: 0, unresolvedNames: [] };
  const { windows, unresolvedKeys, unresolvedNames } = reading.value;
  const shown = (kind: "day" | "month") =>
    reading.shows(windows[kind].window) ? windows[kind].credits : undefined;
  return { ...row, day: shown("day"), month: shown("month"), unresolvedKeys, unresolvedNames };
}
