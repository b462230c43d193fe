import type { Mutation } from "./mutations.ts";
import { numberedKeys, type ShortStory } from "./story.ts";

/** One key is refused for a while. */
const REFUSED_KEY: ShortStory = {
  settings: { keys: numberedKeys(8), budgets: [{ name: "all", window: "day", keys: "all" }], shards: 3 },
  events: [{ do: "fault", at: 100, for: 200, what: 401, endpoint: "key", accounts: [1] }],
};

/** Analytics without a list of keys, which would name the keys of other shards as well. */
const NO_LIST: ShortStory = {
  account: { pageSize: 100 },
  settings: { keys: numberedKeys(8), analytics: { file: 900, top: 4 }, shards: 3 },
};

/** Defects of the division among several exporters. They are searched in stories of three shards. */
export const SHARD_MUTATIONS: readonly Mutation[] = [
  {
    breaks: "14 division",
    what: "each shard asks at the whole pace",
    file: "config/shards/part.ts",
    from: "requestsPerMinute: share(gateway.requestsPerMinute),",
    to: "requestsPerMinute: gateway.requestsPerMinute,",
  },
  {
    breaks: "14 division",
    what: "a key has two shards",
    file: "config/shards/part.ts",
    from: "const isOwn = ({ name }: { readonly name: string }) => shards.get(name) === ordinal;",
    to: "const isOwn = ({ name }: { readonly name: string }) => (shards.get(name) ?? 0) % 2 === ordinal % 2;",
  },
  {
    breaks: "14 division",
    what: "a key that pays for a probe is polled by the shard of its name",
    file: "config/shards/part.ts",
    from: "payers.has(name) ? 0 : shardOfName(name, total)",
    to: "shardOfName(name, total)",
  },
  {
    breaks: "14 division",
    what: "every shard queries the analytics and lists the keys",
    file: "config/shards/part.ts",
    from: "...(ordinal > 0 && {",
    to: "...(ordinal > total && {",
  },
  {
    breaks: "2 presence",
    what: "a key that moves vanishes at once from its former shard",
    file: "schedule/engine.ts",
    from: "if (!present && lingering.keeps(job)) return;",
    to: "",
  },
  {
    breaks: "1 truth",
    what: "a key that moves keeps values of another gateway or secret",
    file: "collectors/collector-groups.ts",
    from: "return job?.identity === identity && job.fingerprint === fingerprint;",
    to: "return job !== undefined && identity !== fingerprint;",
  },
  {
    breaks: "4 budgets",
    what: "a part of a budget has the name of the whole",
    file: "budgets/budget-samples.ts",
    from: "if (!part) {",
    to: "if (!part || part.parts > 0) {",
  },
  {
    breaks: "4 budgets",
    what: "a part of a budget is complete without some of its keys",
    file: "budgets/budget-samples.ts",
    from: "...sample(families.partComplete, labels, complete, window),",
    to: "...sample(families.partComplete, labels, Math.max(1, complete ?? 1), window),",
    story: REFUSED_KEY,
  },
  {
    breaks: "9 unwatched",
    what: "keys of other shards count as unwatched",
    file: "collectors/watched-keys.ts",
    from: "const keys = configuredKeys(config);",
    to: "const { keys } = config;",
    story: NO_LIST,
  },
];
