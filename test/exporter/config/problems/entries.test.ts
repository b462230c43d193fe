import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

const OWNED =
  "keys:\n  - {name: billing, api_key_file: /secrets/billing, owner: {team: payments}}\n  - {name: search, api_key_env: SEARCH_KEY}\n";
const ANALYTICS = "analytics: {management_key_file: /secrets/billing}\n";
const BUDGET = "name: a, limit: 1, window: day";

badFiles("budgets", [
  [GATEWAY + KEYS + "budgets:\n", "budgets: is empty; it must be a list"],
  [GATEWAY + KEYS + "budgets: [a]\n", "budgets[0]: a text is not a mapping"],
  [
    GATEWAY +
      KEYS +
      ANALYTICS +
      `budgets: [{${BUDGET}, model: _other}, {name: b, limit: 1, window: day, app: _other}]\n`,
    'budgets[0].model: "_other" is not one model, but the rest of all that have no series of their own; a budget cannot cover it',
    'budgets[1].app: "_other" is not one app, but the rest of all that have no series of their own; a budget cannot cover it',
  ],
  [
    GATEWAY + KEYS + "budgets: [{}]\n",
    "budgets[0].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
    "budgets[0].limit: is missing; it must be a finite number above 0",
    "budgets[0].window: is missing; it must be day, week, month or total",
    "budgets[0]: covers nothing; set one of keys, model, app, user, workspace, provider, account",
  ],
  [
    GATEWAY +
      KEYS +
      "budgets:\n  - {name: A, limit: 0, window: year, keys: some}\n  - {name: b, limit: .inf, window: day, keys: all, team: 5}\n  - {name: c, limit: -1, window: day, keys: all, owner: x}\n",
    'budgets[0].name: "A" does not match [a-z0-9][a-z0-9_.-]{0,63}',
    "budgets[0].limit: 0 is not a finite number above 0",
    'budgets[0].window: "year" is not day, week, month or total',
    'budgets[0].keys: "some" is not all, a list of names, or a mapping of team, project, cost_center',
    "budgets[1].limit: Infinity is not a finite number above 0",
    "budgets[1].team: 5 is not a text of 0 to 128 characters; put it in quotes",
    "budgets[2].limit: -1 is not a finite number above 0",
    "budgets[2].owner: is not a known field; known fields: name, limit, window, since, keys, model, app, user, workspace, provider, account, at, team",
  ],
  [
    GATEWAY + KEYS + `budgets: [{${BUDGET}, keys: all}, {${BUDGET}, keys: [billing]}]\n`,
    'budgets[1].name: "a" is already the name of budgets[0]',
  ],
  [
    GATEWAY + KEYS + `budgets: [{${BUDGET}, keys: all, model: acme/one, account: true}]\n`,
    "budgets[0]: keys and model and account are mutually exclusive; keep one of them",
    "budgets[0].model: needs the section analytics",
    "budgets[0].account: needs the section analytics",
  ],
  [
    GATEWAY +
      ANALYTICS +
      `budgets: [{${BUDGET}, account: false}, {name: b, limit: 1, window: day, app: ""}, {name: c, limit: 1, window: day, model: 5}]\n`,
    "budgets[0].account: false is not true",
    'budgets[1].app: "" is not a text of 1 to 2048 characters',
    "budgets[2].model: 5 is not a text of 1 to 2048 characters; put it in quotes",
  ],
  [
    GATEWAY +
      OWNED +
      `budgets: [{${BUDGET}, keys: [billing, biling, billing]}, {name: b, limit: 1, window: day, keys: [Billing, 5]}, {name: c, limit: 1, window: day, keys: []}]\n`,
    'budgets[1].keys[0]: "Billing" does not match [a-z0-9][a-z0-9_.-]{0,63}',
    "budgets[1].keys[1]: 5 is not a text that matches [a-z0-9][a-z0-9_.-]{0,63}; put it in quotes",
    "budgets[2].keys: is an empty list; name at least one key",
    'budgets[0].keys[1]: "biling" is not a key in keys or keys_dir; the nearest one is "billing"',
    'budgets[0].keys[2]: "billing" is listed twice',
  ],
  [
    GATEWAY + `keys_dir: /twins\nbudgets: [{${BUDGET}, keys: [billing, search]}]\n`,
    'budgets[0].keys[1]: "search" is not a key in keys or keys_dir',
  ],
  [
    GATEWAY + `keys_dir: /denied\nbudgets: [{${BUDGET}, keys: [billing]}]\n`,
    'keys_dir: folder "/denied" cannot be read: permission denied',
  ],
  [
    GATEWAY +
      OWNED +
      `budgets: [{${BUDGET}, keys: {team: nobody}}, {name: b, limit: 1, window: day, keys: {}}, {name: c, limit: 1, window: day, keys: {teams: payments, project: ""}}, {name: d, limit: 1, window: day, keys: {team: payments, project: invoices}}]\n`,
    "budgets[1].keys: is empty; set team, project or cost_center",
    'budgets[2].keys.project: "" is not a text of 1 to 128 characters',
    "budgets[2].keys.teams: is not a known field; did you mean team? Known fields: team, project, cost_center",
    'budgets[0].keys: no key has the team "nobody"; teams: "payments"',
    'budgets[3].keys: no key has the project "invoices"; no key has any project',
  ],
  [GATEWAY + ANALYTICS + `budgets: [{${BUDGET}, keys: all}]\n`, "budgets[0].keys: no key is configured"],
  [
    GATEWAY +
      ANALYTICS +
      "budgets: [{name: a, limit: 1, window: total, account: true}, {name: b, limit: 1, window: month, since: 2026-11-01, account: true}]\n",
    "budgets[0].since: is missing; it is required with window total",
    'budgets[1].since: applies to window total only, not to "month"',
  ],
  [
    GATEWAY + KEYS + "budgets: [{name: a, limit: 1, window: total, since: 2026-11-01, keys: all}]\n",
    'budgets[0].window: "total" applies to account, model and app only: keys report their spend by day, week and month',
  ],
  [
    GATEWAY +
      ANALYTICS +
      "budgets: [{name: a, limit: 1, window: total, since: 2026-02-30, account: true}, {name: b, limit: 1, window: total, since: 20261101, account: true}]\n",
    'budgets[0].since: "2026-02-30" is not a date or a date-time in UTC, such as 2026-11-01 or 2026-11-01T08:30:00Z',
    "budgets[1].since: 20261101 is not a date or a date-time in UTC, such as 2026-11-01 or 2026-11-01T08:30:00Z",
  ],
  [
    GATEWAY + KEYS + `budgets: [{${BUDGET}, keys: sk-hunter2-and-more, api_key: hunter2}]\n`,
    "budgets[0].keys: (not shown: it looks like a secret) is not all, a list of names, or a mapping of team, project, cost_center",
    "budgets[0].api_key: a secret must not be written in this file; put it into a file and name the file in api_key_file, or into an environment variable and name the variable in api_key_env",
  ],
]);

const SPEND = "probe_spend: {max_cost_per_day: 1, max_cost_per_probe: 0.1}\n";
const PROBE = "name: a, key: billing, model: acme/ear";

badFiles("probes", [
  [
    GATEWAY + KEYS + "probes:\nprobe_spend:\n",
    "probes: is empty; it must be a list",
    "probe_spend: is empty; it must be a mapping",
  ],
  [
    GATEWAY + KEYS + SPEND + "probes: [{}]\n",
    "probes[0].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
    "probes[0].key: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
    "probes[0].model: is missing; it must be a text that matches [^\\s/]+\\/\\S+",
  ],
  [
    GATEWAY +
      KEYS +
      SPEND +
      "probes:\n  - {name: a, key: billing, model: ear, max_word_error_rate: 11, expected_language: english, response_format: text, upload: ftp, schedule: never, timeout: 0s}\n",
    'probes[0].model: "ear" does not match [^\\s/]+\\/\\S+',
    "probes[0].max_word_error_rate: 11 is not a number from 0 to 10",
    'probes[0].expected_language: "english" does not match [a-z]{2}',
    'probes[0].response_format: "text" is not json or verbose_json',
    'probes[0].upload: "ftp" is not json or multipart',
    'probes[0].schedule: "never" is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s',
    'probes[0].timeout: "0s" is not a duration from 1s to 30m, such as 1m',
    "probes[0].expected_language: needs response_format verbose_json: json does not report the language",
  ],
  [
    GATEWAY + KEYS + `probes: [{${PROBE}}]\n`,
    "probe_spend: is missing; it is required with probes, which cost credits",
  ],
  [
    GATEWAY + KEYS + `probes: [{${PROBE}}]\nprobe_spend: {max_cost_per_day: 0}\n`,
    "probe_spend.max_cost_per_day: 0 is not a finite number above 0",
    "probe_spend.max_cost_per_probe: is missing; it must be a finite number above 0",
  ],
  [
    GATEWAY + KEYS + `probes: [{${PROBE}}]\nprobe_spend: {max_cost_per_day: 0.1, max_cost_per_probe: 0.2}\n`,
    "probe_spend.max_cost_per_probe: 0.2 is more than max_cost_per_day, 0.1, so no probe could ever run",
  ],
  [
    GATEWAY + KEYS + SPEND + `probes: [{${PROBE}}, {name: a, key: other, model: acme/ear}]\n`,
    'probes[1].name: "a" is already the name of probes[0]',
    'probes[1].key: "other" is not a key in keys or keys_dir',
  ],
  [
    GATEWAY + KEYS + SPEND + `probes: [{${PROBE}, expected_text: hello, format: wav}]\n`,
    "probes[0].format: applies to audio only; the bundled sample has its own",
    "probes[0].expected_text: applies to audio only; the bundled sample has its own",
  ],
  [
    GATEWAY + KEYS + SPEND + `probes: [{${PROBE}, audio: /audio/hello}]\n`,
    "probes[0].expected_text: is missing; it is required with audio",
    "probes[0].format: is missing, and the name of the audio file does not end in a known one",
    'probes[0].audio: file "/audio/hello" does not exist',
  ],
  [
    GATEWAY + KEYS + SPEND + `probes: [{${PROBE}, expected_language: en}]\n`,
    "probes[0].expected_language: needs response_format verbose_json: json does not report the language",
  ],
]);

const withQueries = (queries: string) =>
  `${GATEWAY}${KEYS}analytics: {management_key_file: /secrets/billing, queries: [${queries}]}\n`;

badFiles("analytics.queries", [
  [
    withQueries("{}"),
    "analytics.queries[0].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
    "analytics.queries[0].window: is missing; it must be day, last_day, month or last_month",
    "analytics.queries[0].dimensions: is missing; it must be a list",
  ],
  [
    withQueries(
      "{name: day, dimensions: [user], window: day}, {name: since_x, dimensions: [user], window: day}, {name: a, dimensions: [user], window: day}, {name: a, dimensions: [app], window: day}",
    ),
    'analytics.queries[0].name: "day" is the name of a query that the exporter has anyway',
    'analytics.queries[1].name: "since_x" is the name of a query that the exporter has anyway',
    'analytics.queries[3].name: "a" is already the name of queries[2]',
  ],
  [
    withQueries(
      "{name: a, dimensions: [session_id, query], window: day}, {name: g, dimensions: [gateway], window: day}, {name: b, dimensions: [user, user], window: day}, {name: c, dimensions: [user, app, model], window: day}",
    ),
    "analytics.queries[0].dimensions[0]: session_id has a value of its own for each request, so it cannot be a label",
    "analytics.queries[0].dimensions[1]: query cannot be a label of a query",
    "analytics.queries[1].dimensions[0]: gateway cannot be a label of a query",
    "analytics.queries[2].dimensions[1]: user is named twice",
    "analytics.queries[3].dimensions: has more than two dimensions",
  ],
  [
    withQueries(
      "{name: a, dimensions: [], window: day}, {name: b, classifier: {id: x, dimensions: []}, window: day}, {name: c, dimensions: [model, user], classifier: {id: 5b0e9d4e-7c0f-4f4e-9a39-0d2f6f1c7a10, dimensions: [user]}, window: day}, {name: d, classifier: {id: 5b0e9d4e-7c0f-4f4e-9a39-0d2f6f1c7a10, dimensions: [query]}, window: day}",
    ),
    "analytics.queries[0].dimensions: is an empty list; name one or two dimensions",
    'analytics.queries[1].classifier.id: "x" is not a UUID',
    "analytics.queries[1].classifier.dimensions: is an empty list; name one or two dimensions",
    "analytics.queries[2].classifier.dimensions: makes more than two with dimensions",
    "analytics.queries[2].classifier.dimensions[0]: user is named twice",
    "analytics.queries[3].classifier.dimensions[0]: query cannot be a label of a query",
  ],
  [
    withQueries("{name: a, dimensions: [provider], window: last_month}"),
    "analytics.queries[0].window: the gateway keeps provider for 31 days, which is less than last_month",
  ],
  [
    withQueries("{name: a, dimensions: [user], window: day, metrics: [total_usage]}"),
    'analytics.queries[0].metrics[0]: "total_usage" is not one of credits, byok_credits, requests, tokens, prompt_tokens, completion_tokens, reasoning_tokens, cache_hit_ratio, latency_avg_seconds, latency_p90_seconds',
  ],
  [
    `${withQueries("{name: a, dimensions: [user], window: day}, {name: b, dimensions: [user], window: month}")}schedule: {analytics: 15s}\n`,
    "analytics.queries: 4 queries (2 of them built in) need 8 requests per round beside 10 others, but at 54 requests a minute only 13 fit into schedule.analytics, which is every 15 s",
  ],
  [
    `${withQueries("{name: keys-day, dimensions: [user], window: day}, {name: keys-month, dimensions: [user], window: day}")}schedule: {analytics: 15s}\n`,
    "analytics.queries: 2 queries need 4 requests per round beside 10 others, but at 54 requests a minute only 13 fit into schedule.analytics, which is every 15 s",
  ],
  [
    withQueries(
      "{name: a, dimensions: [user], window: day, filters: [{field: user, in: [Ada]}, {field: app, not_in: [7, Chat]}, {field: model}, {field: model, in: [x], include_unset: true}]}",
    ),
    'analytics.queries[0].filters[0]: "Ada" is not an identifier that begins with user_, which filters by user need',
    'analytics.queries[0].filters[1]: "Chat" is not a number, which filters by app need',
    "analytics.queries[0].filters[2]: needs exactly one of in and not_in",
    "analytics.queries[0].filters[3].include_unset: is not possible for model; it is for api_key_id, app, user",
  ],
]);
