import { discoveryFamilies } from "../../../../exporter/collectors/discovery-families.ts";
import { keyFamilies as families } from "../../../../exporter/collectors/key-families.ts";
import { selfFamilies } from "../../../../exporter/metrics/self-families.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import type { Family } from "../../../../exporter/metrics/family.ts";
import { type InputSeries, seriesOf, type Value } from "../input-series.ts";
import { type AlertCase, casesOf, eachMinute, exposed, HOUR } from "./alert-case.ts";

const of = casesOf("AIGatewayKey", "key", { team: "search" });
/** Keys of another job, whose exporter polls every ten minutes, and of one of which nothing but keys is known. */
const SELDOM = "polls-seldom";
const ofSeldom = casesOf("AIGatewayKey", "key", { team: "search", job: SELDOM });
const UNSEEN = "unseen";
const UNREACHED = { job: JOB, gateway: "backup", instance: "d:9853" };
const ofUnseen = casesOf("AIGatewayKey", "key", { team: "search", job: UNSEEN });

/** Alerts on the state of keys. */
export const keyStateCases: readonly AlertCase[] = [
  of("Unauthorized", "critical", "refused", "a 401", refused("refused", 10), 15),
  of(
    "Unauthorized",
    "critical",
    "flicker",
    "the gateway answers 401 for four minutes",
    refused("flicker", 10, 14),
  ),
  of(
    "ExpiresSoon",
    "warning",
    "expiring",
    "the key expires within a week",
    expires("expiring", 7.1),
    2.4 * HOUR + 16,
  ),
  of("ExpiresSoon", "warning", "lasting", "the key expires in more than a week", expires("lasting", 7.5)),
  of("ExpiresSoon", "warning", "expiring-disabled", "the key expires within a week and is disabled", [
    ...expires("expiring-disabled", 7.1),
    exposed(discoveryFamilies.disabled, { key: "expiring-disabled" }, () => 1),
  ]),
  of(
    "ExpiresSoon",
    "warning",
    "expiring-enabled",
    "the key expires within a week and is not disabled",
    [
      ...expires("expiring-enabled", 7.1),
      exposed(discoveryFamilies.disabled, { key: "expiring-enabled" }, () => 0),
    ],
    2.4 * HOUR + 16,
  ),
  of("FreeQuotaLow", "info", "quota", "two of fifty free requests are left", quota("quota", 2), 35),
  of("FreeQuotaLow", "info", "quota-left", "five of fifty free requests are left", quota("quota-left", 5)),
  of("DataStale", "warning", "stale", "the last answer was at minute 60", answered("stale", 60, 480), 81),
  of("DataStale", "warning", "outage", "every poll fails for fifteen minutes", [
    ...answered("outage", 60, 75),
    exposed(families.up, { key: "outage" }, (minute) => Number(minute <= 60 || minute >= 75)),
  ]),
  ofSeldom("DataStale", "warning", "seldom", "is polled every ten minutes and gets every fourth answer", [
    exposed(selfFamilies.pollInterval, { collector: "key" }, () => 600, { job: SELDOM }),
    owner("seldom", 0, 0, SELDOM),
    exposed(families.lastSuccess, { key: "seldom" }, (minute) => (minute - (minute % 40)) * 60, {
      job: SELDOM,
    }),
  ]),
  of(
    "DataStale",
    "warning",
    "never",
    "there has never been an answer",
    told("never", families.up, () => 0),
    21,
  ),
  of(
    "DataStale",
    "warning",
    "first",
    "the first poll succeeded, and no series has its time yet",
    told("first", families.up, () => 1),
  ),
  of("DataStale", "warning", "unlisted", "is only listed, and the alert on its list covers it", [
    ...answered("unlisted", 60, 480),
    known("unlisted", () => 1),
  ]),
  of(
    "LimitRemoved",
    "info",
    "freed",
    "the limit is gone from minute 60 on",
    limited("freed", (minute) => (minute < 60 ? 5 : null)),
    90,
  ),
  of(
    "LimitRemoved",
    "info",
    "bound",
    "the limit is raised",
    limited("bound", (minute) => 5 + minute),
  ),
  of("LimitRemoved", "info", "unheard", "the key has no answer", [
    ...told("unheard", families.limit, (minute) => (minute < 60 ? 5 : null)),
    exposed(families.up, { key: "unheard" }, (minute) => Number(minute < 60)),
  ]),
  of(
    "Disappeared",
    "warning",
    "gone",
    "the key is not configured from minute 120 on",
    [owner("gone", 120, 480)],
    150,
  ),
  of("Disappeared", "warning", "deleted", "a listed key is deleted at the gateway", [
    owner("deleted", 120, 480),
    known("deleted", (minute) => (minute < 120 ? 1 : null)),
  ]),
  ofUnseen("Disappeared", "warning", "unseen", "no process of its exporter is known to run", [
    owner("unseen", 120, 480, UNSEEN),
  ]),
  ofSeldom(
    "Disappeared",
    "warning",
    "gone-elsewhere",
    "the key is not configured from minute 120 on, in an exporter with its own name",
    [
      owner("gone-elsewhere", 120, 480, SELDOM),
      exposed(selfFamilies.buildInfo, { version: "1.0.0", revision: "", nodeversion: "22" }, () => 1, {
        job: SELDOM,
      }),
    ],
    150,
  ),
  of("Disappeared", "warning", "unreached", "its exporter, one for another gateway, cannot be scraped", [
    seriesOf(
      families.ownerInfo.name,
      { ...UNREACHED, key: "unreached", team: "search", project: "", cost_center: "" },
      eachMinute((minute) => (minute < 120 ? 1 : null)),
    ),
    seriesOf(
      "up",
      UNREACHED,
      eachMinute((minute) => Number(minute < 120)),
    ),
  ]),
  of("Disappeared", "warning", "missed", "scrapes fail for twenty minutes", [owner("missed", 120, 140)]),
];

function told(key: string, family: Family<"key">, value: (minute: number) => Value): readonly InputSeries[] {
  return [owner(key), exposed(family, { key }, value)];
}

function limited(key: string, limit: (minute: number) => Value): readonly InputSeries[] {
  return [...told(key, families.limit, limit), exposed(families.up, { key }, () => 1)];
}

function refused(key: string, from: number, to = Infinity): readonly InputSeries[] {
  return told(key, families.unauthorized, (minute) => Number(minute >= from && minute < to));
}

function expires(key: string, days: number): readonly InputSeries[] {
  return told(key, families.expiry, () => days * 86_400);
}

function quota(key: string, remaining: number): readonly InputSeries[] {
  return [
    ...told(key, families.freeRequestsLimit, () => 50),
    exposed(families.freeRequestsRemaining, { key }, (minute) => (minute < 30 ? 50 : remaining)),
  ];
}

function known(key: string, value: (minute: number) => Value): InputSeries {
  const labels = { key, api_key: key, hash: "0123abcd", workspace: `of-${key}`, source: "listing" };
  return exposed(discoveryFamilies.info, labels, value);
}

/** Polled every minute, without an answer between two given minutes. */
function answered(key: string, from: number, to: number): readonly InputSeries[] {
  return told(key, families.lastSuccess, (minute) => (minute > from && minute < to ? from : minute) * 60);
}

function owner(key: string, goneFrom = 0, goneTo = 0, job = JOB): InputSeries {
  const isGone = (minute: number) => minute >= goneFrom && minute < goneTo;
  const labels = { key, team: "search", project: "", cost_center: "" };
  return exposed(families.ownerInfo, labels, (minute) => (isGone(minute) ? null : 1), { job });
}
