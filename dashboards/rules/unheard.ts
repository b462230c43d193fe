import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { MINUTE, thresholds } from "../thresholds.ts";
import { promql, type Series } from "../promql.ts";
import { record, type RecordingRule } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";

/** What follows the past tense in the text of an alert whose value is negative. */
export const LAST_ANSWER =
  'when the gateway last answered, {{ $value | humanizeDuration | reReplaceAll "-" "" }} ago; its limit has not reset since';

/**
 * The rules that keep firing alerts while the gateway does not answer: no answer means neither that a key has
 * credits again nor that it stopped spending.
 */
export function unheard(timing: Timing): readonly RecordingRule[] {
  const { now, memorySeconds } = timing;
  const { exhaustedSince, imminentSince, predictedSince, slowSince, lowSince } = recorded;
  const before = (series: Series) => promql`${series} offset ${timing.duration(2 * MINUTE)}`;
  const alerted = [exhaustedSince, imminentSince, predictedSince, slowSince, lowSince]
    .map(before)
    .join(" or ");
  return [
    record(
      recorded.alertLimit,
      "The limit in the last answer for a key with an alert. It shows whether the limit was raised while the gateway did not answer. It disappears with the key.",
      promql`
        ${recorded.limit}
        and (${alerted})
        or (${recorded.alertLimit} and ${recorded.lastSuccess})`,
    ),
    record(
      recorded.alertEnd,
      "Until when an alert on the key may fire if no further answer arrives, in seconds since the epoch: until the reset that the last answer announced, and for half a day at most.",
      promql`
        clamp_max(${recorded.resetSeconds} and (${alerted}), ${timing.seconds(thresholds.unheard)}) + ${now}
        and ${recorded.remaining}
        or (${recorded.alertEnd} and ${recorded.alertLimit})`,
    ),
    record(
      recorded.unheard,
      "Keys with an alert whose last answer is too old for new alerts, while the alert may still fire. The value is the age of that answer in seconds, as a negative number. Absent if the key is known to be refused or disabled.",
      promql`
        (${recorded.lastSuccess} and ${recorded.alertEnd} > ${now}) - ${now} <= -${memorySeconds}
        unless max by (job, gateway, key) (${families.unauthorized} == 1)
        unless max by (job, gateway, key) (${discoveryFamilies.disabled} == 1)`,
    ),
  ];
}
