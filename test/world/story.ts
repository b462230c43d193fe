/** Everything that happens in one simulated world. A story is plain data, so that it can be shrunk and pasted. */
export interface Story {
  /** Of latencies and of the exporter's jitter. */
  readonly seed: number;
  /** ISO 8601, UTC. */
  readonly start: string;
  readonly minutes: number;
  /** Seconds between two ordinary scrapes. */
  readonly scrapeSeconds: number;
  /** Longest ordinary latency of an answer, milliseconds. */
  readonly latencyMs: number;
  /** How far the figures of the gateway lag behind the spend. */
  readonly lagSeconds: number;
  /** How far the exporter's wall clock is ahead when it starts. */
  readonly aheadSeconds: number;
  /** Factor of all token counts. */
  readonly scale: number;
  /** The operations about the account; undefined: an older service, which has none of them. */
  readonly account: { readonly pageSize: number } | undefined;
  readonly settings: Settings;
  readonly events: readonly StoryEvent[];
}

/** The configuration of the exporter. */
export interface Settings {
  readonly keys: readonly KeySettings[];
  readonly gateway: GatewayName;
  /** Requests per minute; 0 is unlimited. */
  readonly pace: number;
  readonly connections: number;
  /** Cron expression or interval. */
  readonly keySchedule: string;
  readonly analyticsSchedule: string;
  /** Undefined: no analytics are queried. */
  readonly analytics: AnalyticsSettings | undefined;
  readonly budgets: readonly BudgetSettings[];
  readonly probes: ProbeSettings | undefined;
  /** The former price of a credit, which is now twice as much; undefined: none is configured. */
  readonly formerPrice: { readonly until: string; readonly value: number } | undefined;
}

export type GatewayName = "a" | "b";

export interface AnalyticsSettings {
  /** The number of the file with the management key. */
  readonly file: number;
  readonly top: number;
  /** Whether spend is queried by key and model, and besides of one key that the account has. */
  readonly queries?: true | "filtered";
  /** Whether the keys of the account are listed, and which of them are shown; undefined: they are not. */
  readonly listing?: "all" | "some" | "everywhere";
}

export interface KeySettings {
  readonly name: string;
  /** The number of the secret file, which at first holds a secret of the account with the same number. */
  readonly file: number;
  readonly team?: string;
  readonly label?: boolean;
}

export type BudgetSettings = {
  readonly name: string;
  readonly window: "day" | "week" | "month" | "total";
} & ({ readonly keys: "all" | readonly string[] } | { readonly model: string } | { readonly account: true });

export interface ProbeSettings {
  /** Names of the keys that pay, one probe each. */
  readonly payers: readonly string[];
  readonly schedule: string;
  readonly perDay: number;
  readonly perRun: number;
}

/** The endpoints of the contract; `account` are all operations about the account but queries. */
export type EndpointName = "key" | "analytics" | "account" | "transcription";

/** What the gateway does wrong, for as long as the fault lasts. A number is a status. */
export type FaultKind =
  | number
  | "quota"
  | "reset"
  | "hang"
  | "late"
  | "slow"
  | "garbage"
  | "stale"
  | "truncated"
  | "left_out"
  /** A query with a filter is rejected. */
  | "no_filter"
  /** A row of a list cannot be read. */
  | "bad_row"
  | "no_cost";

export interface Fault {
  readonly do: "fault";
  /** Seconds after the start. */
  readonly at: number;
  /** Seconds. */
  readonly for: number;
  readonly what: FaultKind;
  readonly endpoint: EndpointName;
  /** The accounts that it concerns; undefined: all. */
  readonly accounts?: readonly number[] | undefined;
  /** Concerns one request in this many; undefined: each. */
  readonly oneIn?: number;
  /** Seconds that a refusal asks to wait; undefined: no hint. A quota with a hint names the right time. */
  readonly retryAfter?: number;
  /** Requests in each calendar minute that a quota allows. */
  readonly perMinute?: number;
}

export type StoryEvent =
  | Fault
  | { readonly do: "reload"; readonly at: number; readonly change: Partial<Settings> }
  | { readonly do: "restart"; readonly at: number }
  /** Steps the exporter's wall clock by seconds. */
  | { readonly do: "step"; readonly at: number; readonly by: number }
  /** Nothing of the exporter runs for seconds; `frozen`: its monotonic clock stops as well. */
  | { readonly do: "suspend"; readonly at: number; readonly for: number; readonly frozen?: boolean }
  | {
      readonly do: "file";
      readonly at: number;
      readonly for: number;
      readonly file: number;
      readonly state: FileState;
    }
  /** The file gets a new secret: of the same account, or of another one. The former secret is refused (401). */
  | { readonly do: "rotate"; readonly at: number; readonly file: number; readonly account?: number }
  /** Someone changes a key of the account. */
  | {
      readonly do: "key";
      readonly at: number;
      readonly key: number;
      readonly change: KeyChange;
      /** The name of a created key; undefined: one that no other key has. */
      readonly title?: string;
    }
  /** A key gets another limit, or none. */
  | { readonly do: "limit"; readonly at: number; readonly key: number; readonly limit: Partial<KeyLimit> }
  /** The gateway gets a metric of credits without BYOK. */
  | { readonly do: "metric"; readonly at: number };

/** What a change of a limit leaves out stays as it was. */
export interface KeyLimit {
  /** Credits that are left of it at first; null: unlimited. */
  readonly left: number | null;
  readonly reset: "daily" | "weekly" | "monthly" | null;
  /** Whether it counts BYOK. */
  readonly byok: boolean;
}

/** A key that is moved is in another workspace; one that expires is refused from then on. */
export type KeyChange = "create" | "rename" | "disable" | "delete" | "move" | "expire";

export type FileState = "gone" | "empty" | "hang" | "slow";

/** The ordinary world, in which a story names only what differs. */
export const ORDINARY: Story = {
  seed: 1,
  start: "2026-11-18T12:00:00Z",
  minutes: 10,
  scrapeSeconds: 15,
  latencyMs: 300,
  lagSeconds: 0,
  aheadSeconds: 0,
  scale: 1,
  account: undefined,
  settings: {
    keys: [],
    gateway: "a",
    pace: 600,
    connections: 64,
    keySchedule: "* * * * *",
    analyticsSchedule: "*/5 * * * *",
    analytics: undefined,
    budgets: [],
    probes: undefined,
    formerPrice: undefined,
  },
  events: [],
};

/** A story as a person writes it. */
export type ShortStory = Partial<Omit<Story, "settings">> & { readonly settings?: Partial<Settings> };

export function wholeStory(short: ShortStory): Story {
  return { ...ORDINARY, ...short, settings: { ...ORDINARY.settings, ...short.settings } };
}

/** Keys `k0`, `k1`, … with the files of the same numbers. */
export function numberedKeys(count: number): readonly KeySettings[] {
  return Array.from({ length: count }, (_, file) => ({ name: `k${file}`, file }));
}

/** When the last thing that hides values has ended, seconds after the start. */
export function lastTroubleEnd({ events }: Pick<Story, "events">): number {
  return Math.max(0, ...events.map(endOf));
}

export function endOf(event: StoryEvent): number {
  return event.at + ("for" in event ? event.for : 0);
}
