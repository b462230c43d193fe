import { selfFamilies as families } from "../../../../exporter/metrics/self-families.ts";
import { DAY, MINUTE } from "../../../../dashboards/thresholds.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import { type InputSeries, seriesOf, type Value } from "../input-series.ts";
import { type AlertCase, casesOf, eachMinute, exposed } from "./alert-case.ts";

const ofEndpoint = casesOf("AIGateway", "endpoint", {});
const ofJob = casesOf("AIGateway", "job", {});
const ofAccount = casesOf("AIGateway", "job", { endpoint: "account" });
const warning = "warning";

/** Alerts on the exporter itself. AIGatewayExporterDown has its own test, because nothing else can be scraped then. */
export const exporterCases: readonly AlertCase[] = [
  failing("key", "six of ten requests fail", { "200": 4, "503": 6 }, 16),
  failing("half", "one of two requests fails", { "200": 1, "503": 1 }),
  failing("refused", "all requests get 401, which has its own alert", { "401": 1 }),
  failing("path", "the path is wrong", { "404": 1 }, 16),
  failingAccount("no-account", "the gateway has neither a balance nor a list of keys", { "404": 1 }),
  failingAccount("no-list", "the gateway has a balance, but no list of keys", { "404": 2, "200": 1 }),
  failingAccount(
    "no-balance",
    "the gateway has no balance, and its list of keys fails",
    { "404": 1, none: 1 },
    16,
  ),
  ofEndpoint(
    "UpstreamThrottled",
    warning,
    "throttled",
    "the endpoint is throttled for half an hour",
    throttled("throttled", 10, 480),
    40,
  ),
  ofEndpoint(
    "UpstreamThrottled",
    warning,
    "paused",
    "the endpoint is throttled for twenty minutes",
    throttled("paused", 10, 30),
  ),
  ofEndpoint("UpstreamThrottled", warning, "resumed", "the pause has ended, and its end is still exposed", [
    exposed(families.throttledUntil, { endpoint: "resumed" }, () => 20 * 60),
  ]),
  ofJob(
    "ShardingMismatch",
    warning,
    "mixed",
    "two totals differ",
    shards("mixed", [
      [0, 2],
      [1, 2],
      [2, 3],
    ]),
    15,
  ),
  ofJob(
    "ShardingMismatch",
    warning,
    "resized",
    "the totals differ for ten minutes",
    shards(
      "resized",
      [
        [0, 3],
        [1, 3],
        [2, 3],
      ],
      (minute) => (minute >= 20 && minute < 30 ? 2 : 3),
    ),
  ),
  ofJob(
    "ShardMissing",
    "critical",
    "gap",
    "shard 1 of 3 has no process",
    shards("gap", [
      [0, 3],
      [2, 3],
    ]),
    15,
  ),
  ofJob(
    "ShardMissing",
    "critical",
    "doubled",
    "each of two shards has two processes",
    shards("doubled", [
      [0, 2],
      [0, 2],
      [1, 2],
      [1, 2],
    ]),
  ),
  ofJob(
    "ShardMissing",
    "critical",
    "lone",
    "there are no shards",
    shards("lone", [
      [0, 1],
      [0, 1],
    ]),
  ),
  ofJob(
    "SeriesLimit",
    warning,
    "full",
    "91 % of the limit is used",
    series("full", 910, () => 0),
    5,
  ),
  ofJob(
    "SeriesLimit",
    warning,
    "refusing",
    "the exporter rejects an answer",
    series("refusing", 600, (minute) => Number(minute >= 60)),
    65,
  ),
  ofJob(
    "SeriesLimit",
    warning,
    "roomy",
    "89 % of the limit is used",
    series("roomy", 890, () => 3),
  ),
  ofJob(
    "PollIntervalLong",
    warning,
    "slow",
    "keys are polled every twenty minutes",
    interval("slow", 1200),
    15,
  ),
  ofJob(
    "ExporterReloadFailed",
    warning,
    "broken",
    "a reload failed in one of two processes",
    [...reload("broken", "a:9853", () => 1), ...reload("broken", "b:9853", (minute) => Number(minute < 60))],
    65,
  ),
  ofJob(
    "ExporterReloadFailed",
    warning,
    "mended",
    "the configuration is fixed within four minutes",
    reload("mended", "a:9853", (minute) => Number(minute < 60 || minute >= 64)),
  ),
  ofJob(
    "ExporterReloadFailed",
    warning,
    "half-renewed",
    "the certificate is invalid and the configuration is valid",
    [
      ...reload("half-renewed", "a:9853", () => 1),
      ...reload("half-renewed", "a:9853", (minute) => Number(minute < 60), families.webUpToDate),
    ],
    65,
  ),
  ofJob(
    "ExporterReloadFailed",
    warning,
    "expiring",
    "the certificate of one of two processes has a week left at minute 10",
    [
      ...certificate("expiring", "a:9853", 90 * DAY),
      ...certificate("expiring", "b:9853", 7 * DAY + 10 * MINUTE),
    ],
    16,
  ),
  ofJob(
    "ExporterReloadFailed",
    warning,
    "valid",
    "the certificate has more than a week left",
    certificate("valid", "a:9853", 8 * DAY),
  ),
  ofJob("PollIntervalLong", warning, "fine", "keys are polled every ten minutes", interval("fine", 600)),
  ofJob(
    "PollIntervalLong",
    warning,
    "slow-list",
    "keys are listed every twenty minutes",
    interval("slow-list", 1200, "discovery"),
    15,
  ),
];

function failing(
  endpoint: string,
  title: string,
  perMinute: Readonly<Record<string, number>>,
  firesAt?: number,
): AlertCase {
  return ofEndpoint("UpstreamErrors", warning, endpoint, title, requests(endpoint, perMinute), firesAt);
}

/** The same for the endpoint of the account. Each has a job of its own. */
function failingAccount(
  job: string,
  title: string,
  perMinute: Readonly<Record<string, number>>,
  firesAt?: number,
): AlertCase {
  return ofAccount("UpstreamErrors", warning, job, title, requests("account", perMinute, job), firesAt);
}

function requests(
  endpoint: string,
  perMinute: Readonly<Record<string, number>>,
  job = JOB,
): readonly InputSeries[] {
  return Object.entries(perMinute).map(([code, count]) =>
    exposed(families.upstreamRequests, { endpoint, code }, (minute) => count * minute, { job }),
  );
}

/** Every minute, the gateway requests a pause of another five minutes. */
function throttled(endpoint: string, from: number, to: number): readonly InputSeries[] {
  const until = (minute: number): Value => (minute < from || minute > to ? null : (minute + 5) * 60);
  return [exposed(families.throttledUntil, { endpoint }, until)];
}

function series(job: string, held: number, refused: (minute: number) => number): readonly InputSeries[] {
  return [
    exposed(families.series, {}, () => held, { job }),
    exposed(families.seriesLimit, {}, () => 1000, { job }),
    exposed(families.refusedAnswers, { collector: "key" }, refused, { job }),
  ];
}

function reload(
  job: string,
  instance: string,
  successful: (minute: number) => Value,
  { name } = families.reloadSuccessful,
): readonly InputSeries[] {
  const values = eachMinute(successful);
  return [seriesOf(name, { job, instance }, values)];
}

function certificate(job: string, instance: string, end: number): readonly InputSeries[] {
  return [
    seriesOf(
      families.webCertificateEnd.name,
      { job, instance },
      eachMinute(() => end),
    ),
  ];
}

function interval(job: string, seconds: number, collector = "key"): readonly InputSeries[] {
  return [exposed(families.pollInterval, { collector }, () => seconds, { job })];
}

/** One process for each pair of a shard and the total; the total of the first one may change. */
function shards(
  job: string,
  processes: readonly (readonly [ordinal: number, total: number])[],
  first?: (minute: number) => number,
): readonly InputSeries[] {
  return processes.map(([ordinal, total], index) => {
    const value = index === 0 && first ? first : () => total;
    return seriesOf(
      families.shards.name,
      { job, instance: `process-${index}`, shard: String(ordinal) },
      eachMinute(value),
    );
  });
}
