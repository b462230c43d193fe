import type { Switches } from "../switches.ts";
import { type DimensionName, type Member } from "./dimensions.ts";
import {
  additiveInteger,
  isMoney,
  isRate,
  type Metric,
  metricTable,
  rateValue,
  type Sums,
} from "./metrics.ts";
import type { Row } from "./query.ts";
import type { AnalyticsRequest } from "./request.ts";
import type { Granularity } from "./time.ts";

export type WireRow = Record<string, string | number | null>;

/** Converts rows to wire format (2.4), as configured by the switches. */
export function renderRows(
  rows: readonly Row[],
  request: AnalyticsRequest,
  switches: Switches,
  isOtherTurn: boolean,
): WireRow[] {
  const countsAsStrings =
    switches.numbersAs === "counts_as_strings" || (switches.numbersAs === "by_turns" && isOtherTurn);
  return rows.map(({ bucket, group, sums }) => {
    const row: WireRow = {};
    if (request.granularity !== null && bucket !== null) {
      row[`${switches.timeColumnPrefix}__${request.granularity}`] = renderTime(
        bucket,
        request.granularity,
        switches,
      );
    }
    for (const [name, member] of group.members) {
      row[name] = renderMember(name, member, switches);
      // The service adds this column unasked.
      if (name === "user") row["user_email"] = member === null ? null : emailOf(member);
      if (switches.extraColumns) row[`${name}_id`] = member?.id ?? null;
    }
    Object.assign(row, group.tags);
    for (const metric of request.metrics) {
      const value = renderMetric(metric, sums, switches);
      const isCount = !isRate(metric) && !isMoney(metric);
      const asString = switches.numbersAs === "strings" || (countsAsStrings && isCount);
      row[metric] = asString && value !== null ? String(value) : value;
    }
    return row;
  });
}

function renderTime(bucket: number, granularity: Granularity, switches: Switches): string {
  const iso = new Date(bucket).toISOString();
  const isDayOrLonger = granularity !== "minute" && granularity !== "hour";
  switch (switches.timeFormat) {
    case "iso":
      return iso;
    case "no_offset":
      return iso.slice(0, 19);
    case "space":
      return iso.slice(0, 19).replace("T", " ");
    case "date":
      return isDayOrLonger ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ");
  }
}

function renderMember(name: DimensionName, member: Member, switches: Switches): string | null {
  if (member === null) return unsetLabel(name, switches);
  if (switches.duplicateLabels && name === "api_key_id") return "Production";
  if (switches.duplicateLabels && name === "model") return String(member.id).replace(/\/.*/su, "");
  return member.label;
}

function unsetLabel(name: DimensionName, switches: Switches): string | null {
  if (name === "api_key_id") return "Chatroom";
  return name === "app" && switches.placeholders ? "Unknown" : null;
}

function emailOf({ label }: NonNullable<Member>): string {
  return `${label.toLowerCase()}@people.example`;
}

function renderMetric(metric: Metric, sums: Sums, switches: Switches): number | null {
  if (isRate(metric)) return rateValue(metric, sums);
  const integer = additiveInteger(metric, sums);
  if (switches.nullComponents && integer === 0 && metricTable[metric].isComponent) return null;
  return isMoney(metric) ? integer / 1e6 : integer;
}
