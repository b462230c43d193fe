import { type Family, gauge, info, type Sample, sample } from "../../exporter/metrics/family.ts";

/** The same series for every contender: 17 families of keys (85 % of the series) and 6 of models and apps. */
export interface DataSet {
  readonly families: readonly DataFamily[];
  readonly series: number;
  /**
   * The rows of one poll: a key with one row of each family, or some rows of models and apps. Created for
   * each round.
   */
  targets(): Iterable<DataTarget>;
}

export interface DataFamily {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface DataTarget {
  readonly name: string;
  readonly rows: readonly DataRow[];
}

export interface DataRow {
  /** Index of its family in `families`. */
  readonly family: number;
  readonly labels: Readonly<Record<string, string>>;
}

const KEY_FAMILIES = [
  "info up last_success_timestamp_seconds unlimited limit_credits limit_remaining_credits usage_credits",
  "usage_day_credits usage_week_credits usage_month_credits byok_usage_credits byok_usage_day_credits",
  "byok_usage_week_credits byok_usage_month_credits free_tier limit_reset_timestamp_seconds",
  "limit_window_start_timestamp_seconds",
].flatMap((names) => names.split(" "));
const ROW_FAMILIES = "credits requests tokens prompt_tokens completion_tokens reasoning_tokens".split(" ");
const PROJECTS = ["payments", "search", "support", "billing", "research"];
const MODELS = ["openai/gpt-5", "anthropic/claude-opus-4.5", "google/gemini-3-pro", "meta/llama-4-70b"];
/** Of 20 series, 17 belong to keys and 3 to models and apps. A key has 17 series, and a pair of model and app has 6. */
const [SERIES_PER_KEY, SERIES_PER_ROW] = [20, 40];
const ROWS_PER_TARGET = 500;

export function createDataSet(series: number): DataSet {
  const families = [
    ...KEY_FAMILIES.map((name) => ({
      name: `aigateway_key_${name}`,
      help: `The value ${name} of the key`,
      labels: name === "info" ? ["key", "team", "project"] : ["key"],
    })),
    ...ROW_FAMILIES.map((name) => ({
      name: `aigateway_usage_day_${name}`,
      help: `The value ${name} of the model and app`,
      labels: ["query", "model", "app"],
    })),
  ];
  const keys = Math.floor(series / SERIES_PER_KEY);
  const rows = Math.floor(series / SERIES_PER_ROW);
  return {
    families,
    series: keys * KEY_FAMILIES.length + rows * ROW_FAMILIES.length,
    *targets() {
      for (let key = 0; key < keys; key++) yield keyTarget(key);
      for (let first = 0; first < rows; first += ROWS_PER_TARGET) {
        yield queryTarget(first, Math.min(rows, first + ROWS_PER_TARGET));
      }
    },
  };
}

/** The value of a row in a round. All values differ between rounds, except those of the info family. */
export function valueOf(row: DataRow, place: number, round: number): number {
  if (row.family === 0) return 1;
  const mixed = Math.imul(place + 1, 2_654_435_761) + Math.imul(round, 40_503);
  const random = (mixed >>> 0) % 1_000_000_007;
  // A third of the values are whole numbers; the others are amounts of money.
  return place % 3 === 0 ? (random % 100_000) + round : (random % 1_000_000_000) / 1e6 + round / 64;
}

/** Calls back for every row of the data set, with its value in the round. */
export function eachValue(data: DataSet, round: number, take: (row: DataRow, value: number) => void): void {
  let place = 0;
  for (const { rows } of data.targets()) for (const row of rows) take(row, valueOf(row, place++, round));
}

/** The families in the exporter's form. */
export function familiesOf({ families }: DataSet): readonly Family[] {
  return families.map(({ name, help, labels }) =>
    (name.endsWith("_info") ? info : gauge)({ name, help, labels, absent: "never" }),
  );
}

/** The samples of each target in a round. */
export function* samplesOf(
  data: DataSet,
  families: readonly Family[],
  round: number,
): Generator<readonly [target: string, samples: readonly Sample[]]> {
  let place = 0;
  for (const { name, rows } of data.targets()) {
    const samples = rows.flatMap((row) => {
      const family = families[row.family];
      return family ? sample(family, row.labels, valueOf(row, place++, round)) : [];
    });
    yield [name, samples];
  }
}

function keyTarget(index: number): DataTarget {
  const project = PROJECTS[index % PROJECTS.length] ?? "";
  const key = `key-${String(index).padStart(5, "0")}-${project}`;
  const rows = KEY_FAMILIES.map((name, family) => ({
    family,
    labels: name === "info" ? { key, team: `team-${index % 40}`, project } : { key },
  }));
  return { name: `key/${key}`, rows };
}

function queryTarget(first: number, end: number): DataTarget {
  const rows = Array.from({ length: end - first }, (_, index) => {
    const model = `${MODELS[(first + index) % MODELS.length] ?? ""}-${(first + index) % 50}`;
    const labels = { query: "day", model, app: `app-${first + index}` };
    return ROW_FAMILIES.map((_name, family) => ({ family: KEY_FAMILIES.length + family, labels }));
  });
  return { name: `query/${first}`, rows: rows.flat() };
}
