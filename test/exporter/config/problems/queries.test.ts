import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

const withQueries = (queries: string) =>
  `${GATEWAY}${KEYS}analytics: {management_key_file: /secrets/billing, queries: [${queries}]}\n`;

badFiles("analytics.queries", [
  {
    name: "an empty entry",
    text: withQueries("{}"),
    problems: [
      "analytics.queries[0].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
      "analytics.queries[0].window: is missing; it must be day, last_day, month or last_month",
      "analytics.queries[0].dimensions: is missing; it must be a list",
    ],
  },
  {
    name: "names that are taken",
    text: withQueries(
      "{name: day, dimensions: [user], window: day}, {name: since_x, dimensions: [user], window: day}, {name: a, dimensions: [user], window: day}, {name: a, dimensions: [app], window: day}",
    ),
    problems: [
      'analytics.queries[0].name: "day" is the name of a query that the exporter has anyway',
      'analytics.queries[1].name: "since_x" is the name of a query that the exporter has anyway',
      'analytics.queries[3].name: "a" is already the name of queries[2]',
    ],
  },
  {
    name: "dimensions that cannot be labels",
    text: withQueries(
      "{name: a, dimensions: [session_id, query], window: day}, {name: g, dimensions: [gateway], window: day}, {name: b, dimensions: [user, user], window: day}, {name: c, dimensions: [user, app, model], window: day}",
    ),
    problems: [
      "analytics.queries[0].dimensions[0]: session_id has a value of its own for each request, so it cannot be a label",
      "analytics.queries[0].dimensions[1]: query cannot be a label of a query",
      "analytics.queries[1].dimensions[0]: gateway cannot be a label of a query",
      "analytics.queries[2].dimensions[1]: user is named twice",
      "analytics.queries[3].dimensions: has more than two dimensions",
    ],
  },
  {
    name: "classifiers that make no labels",
    text: withQueries(
      "{name: a, dimensions: [], window: day}, {name: b, classifier: {id: x, dimensions: []}, window: day}, {name: c, dimensions: [model, user], classifier: {id: 5b0e9d4e-7c0f-4f4e-9a39-0d2f6f1c7a10, dimensions: [user]}, window: day}, {name: d, classifier: {id: 5b0e9d4e-7c0f-4f4e-9a39-0d2f6f1c7a10, dimensions: [query]}, window: day}",
    ),
    problems: [
      "analytics.queries[0].dimensions: is an empty list; name one or two dimensions",
      'analytics.queries[1].classifier.id: "x" is not a UUID',
      "analytics.queries[1].classifier.dimensions: is an empty list; name one or two dimensions",
      "analytics.queries[2].classifier.dimensions: makes more than two with dimensions",
      "analytics.queries[2].classifier.dimensions[0]: user is named twice",
      "analytics.queries[3].classifier.dimensions[0]: query cannot be a label of a query",
    ],
  },
  {
    name: "the last month of a dimension that is kept for 31 days",
    text: withQueries("{name: a, dimensions: [provider], window: last_month}"),
    problems: [
      "analytics.queries[0].window: the gateway keeps provider for 31 days, which is less than last_month",
    ],
  },
  {
    name: "an unknown metric",
    text: withQueries("{name: a, dimensions: [user], window: day, metrics: [total_usage]}"),
    problems: [
      'analytics.queries[0].metrics[0]: "total_usage" is not one of credits, byok_credits, requests, tokens, prompt_tokens, completion_tokens, reasoning_tokens, cache_hit_ratio, latency_avg_seconds, latency_p90_seconds',
    ],
  },
  {
    name: "more queries than the gateway accepts requests",
    text: `${withQueries("{name: a, dimensions: [user], window: day}, {name: b, dimensions: [user], window: month}")}schedule: {analytics: 15s}\n`,
    problems: [
      "analytics.queries: 4 queries (2 of them built in) need 8 requests per round beside 10 others, but at 54 requests a minute only 13 fit into schedule.analytics, which is every 15 s",
    ],
  },
  {
    name: "queries that fit only without the built-in ones",
    text: `${withQueries("{name: a, dimensions: [user], window: day}")}schedule: {analytics: 15s}\n`,
    problems: [
      "analytics.queries: 3 queries (2 of them built in) need 6 requests per round beside 10 others, but at 54 requests a minute only 13 fit into schedule.analytics, which is every 15 s",
    ],
  },
  {
    name: "queries that replace the built-in ones, and are too many nevertheless",
    text: `${withQueries("{name: keys-day, dimensions: [user], window: day}, {name: keys-month, dimensions: [user], window: day}")}schedule: {analytics: 15s}\n`,
    problems: [
      "analytics.queries: 2 queries need 4 requests per round beside 10 others, but at 54 requests a minute only 13 fit into schedule.analytics, which is every 15 s",
    ],
  },
  {
    name: "filters by label, and of the wrong form",
    text: withQueries(
      "{name: a, dimensions: [user], window: day, filters: [{field: user, in: [Ada]}, {field: app, not_in: [7, Chat]}, {field: model}, {field: model, in: [x], include_unset: true}]}",
    ),
    problems: [
      'analytics.queries[0].filters[0]: "Ada" is not an identifier that begins with user_, which filters by user need',
      'analytics.queries[0].filters[1]: "Chat" is not a number, which filters by app need',
      "analytics.queries[0].filters[2]: needs exactly one of in and not_in",
      "analytics.queries[0].filters[3].include_unset: is not possible for model; it is for api_key_id, app, user",
    ],
  },
]);
