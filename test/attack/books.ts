import { planted } from "../support/planted-secrets.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The keys of an attack: the gateway answers `honest` and `disk` correctly, and the disk is hostile to `disk`. */
export const HONEST = names("honest", 20);
export const HOSTILE = names("hostile", 40);
export const DISK = names("disk", 10);

/** What shows texts of the gateway to people and scripts. Only health and metrics must answer in time. */
export const PAGES = ["/", `/keys/${HONEST[0]}`, `/keys/${HOSTILE[0]}`, "/api/v1/status"] as const;

/** How many secrets each key of the hostile disk has, one after another. */
export const GENERATIONS = 20;

export const MANAGEMENT_SECRET = planted("attack management");
export const LOGIN = { user: "prometheus", password: `pw-${planted("attack password").slice(-24)}` } as const;
/** A login that an intruder has. */
export const INTRUDER = {
  user: "intruder",
  password: `pw-${planted("attack intruder").slice(-24)}`,
} as const;

/** The secret of a key; those of the hostile disk change. */
export function secretOf(name: string, generation = 0): string {
  return planted(`attack ${name} ${generation}`);
}

/** Names of keys by their secrets. */
export const NAMES_BY_SECRET: ReadonlyMap<string, string> = new Map([
  ...[...HONEST, ...HOSTILE].map((name): [string, string] => [secretOf(name), name]),
  ...DISK.flatMap((name) =>
    Array.from({ length: GENERATIONS }, (_, generation): [string, string] => [
      secretOf(name, generation),
      name,
    ]),
  ),
]);

/** Everything that must not leave the process, by name. The intruder knows the intruder's password. */
export const SECRETS: ReadonlyMap<string, string> = new Map([
  ...[...NAMES_BY_SECRET].map(([secret, name]): [string, string] => [`${name} ${secret.slice(-4)}`, secret]),
  ["management key", MANAGEMENT_SECRET],
  ["password", LOGIN.password],
]);

/** The revision of the books at an instant: it rises by one each second. */
export function revisionAt(ms: number): number {
  return Math.floor(ms / 1000) % 1_000_000;
}

/** The right answer to `GET /key` (contract 2.7). */
export function keyBody(name: string, revision: number): JsonObject {
  return {
    data: {
      label: "sk-or-v1-0e6...1c9",
      limit: limitOf(name),
      limit_reset: "monthly",
      limit_remaining: 12.5,
      include_byok_in_limit: false,
      usage: revision,
      usage_daily: 1,
      usage_weekly: 2,
      usage_monthly: 3,
      byok_usage: 4,
      byok_usage_daily: 0,
      byok_usage_weekly: 0,
      byok_usage_monthly: 0,
      is_free_tier: false,
    },
  };
}

/** Another limit for each key, so that a swapped answer is noticed. */
export function limitOf(name: string): number {
  const [kind = "", index = "0"] = name.split("-");
  return (kind.length + 1) * 1000 + Number(index);
}

/** The right answer to a query (contract 2.4): two rows, or their total. */
export function queryBody(isGrouped: boolean): JsonObject {
  const labels = { api_key_id: KEY_HASH };
  const rows = isGrouped
    ? PAIRS.map(({ model, app, credits }) => row(credits, { ...labels, model, app }))
    : [row(5)];
  return {
    data: { data: rows, metadata: { query_time_ms: 12, row_count: rows.length, truncated: false } },
  };
}

/** The key of all rows in the analytics. */
export const KEY_HASH = "f".repeat(64);

export const PAIRS = [
  { model: "acme/one", app: "Chat", credits: 3 },
  { model: "acme/two", app: "Search", credits: 2 },
] as const;

/** The right answer to a transcription (contract 2.6). */
export const TRANSCRIPTION_BODY: JsonObject = {
  text: "Good morning",
  usage: { cost: 0.001, input_tokens: 10, output_tokens: 2, total_tokens: 12, seconds: 1 },
  confidence: 0.9,
  duration: 1,
  language: "en",
  task: "transcribe",
};

function row(credits: number, labels: object = {}): JsonObject {
  return {
    ...labels,
    total_usage: credits,
    request_count: 10 * credits,
    tokens_total: 100 * credits,
    tokens_prompt: 70 * credits,
    tokens_completion: 30 * credits,
    reasoning_tokens: credits,
  };
}

function names(kind: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${kind}-${String(index).padStart(2, "0")}`);
}
