import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

badFiles("keys", [
  [GATEWAY + "keys:\n", "keys: is empty; it must be a list"],
  [GATEWAY + "keys: {billing: /secrets/billing}\n", "keys: a mapping is not a list"],
  [GATEWAY + "keys: [billing]\n", "keys[0]: a text is not a mapping"],
  [
    GATEWAY +
      "keys:\n  - {name: Billing, api_key_file: /secrets/billing}\n  - {name: -x, api_key_file: /secrets/billing}\n  - {name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, api_key_file: /secrets/billing}\n",
    'keys[0].name: "Billing" does not match [a-z0-9][a-z0-9_.-]{0,63}',
    'keys[1].name: "-x" does not match [a-z0-9][a-z0-9_.-]{0,63}',
    'keys[2].name: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…" does not match [a-z0-9][a-z0-9_.-]{0,63}',
  ],
  [
    GATEWAY +
      "keys:\n  - {name: 4711, api_key_file: /secrets/billing}\n  - {name: , api_key_file: /secrets/billing}\n  - {api_key_file: /secrets/billing}\n",
    "keys[0].name: 4711 is not a text that matches [a-z0-9][a-z0-9_.-]{0,63}; put it in quotes",
    "keys[1].name: is empty; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
    "keys[2].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
  ],
  [
    GATEWAY +
      "keys:\n  - {name: billing, api_key_file: /secrets/billing}\n  - {name: search, api_key_env: SEARCH_KEY}\n  - {name: billing, api_key_file: /secrets/billing}\n",
    'keys[2].name: "billing" is already the name of keys[0]',
  ],
  [GATEWAY + "keys:\n  - {name: billing}\n", "keys[0]: has no secret; set api_key_file or api_key_env"],
  [
    GATEWAY + "keys:\n  - {name: billing, api_key_file: /secrets/billing, api_key_env: SEARCH_KEY}\n",
    "keys[0]: api_key_file and api_key_env are mutually exclusive; keep one of them",
  ],
  [
    GATEWAY + "keys:\n  - {name: billing, api_key: hunter2}\n  - {name: search, token: hunter2}\n",
    "keys[0].api_key: a secret must not be written in this file; put it into a file and name the file in api_key_file, or into an environment variable and name the variable in api_key_env",
    "keys[1].token: a secret must not be written in this file; put it into a file and name the file in api_key_file, or into an environment variable and name the variable in api_key_env",
  ],
  [
    GATEWAY +
      "keys:\n  - {name: billing, api_key_env: hunter2-and-more}\n  - {name: search, api_key_env: Zm9vYmFyYmF6cXV4Zm9v2}\n",
    "keys[0].api_key_env: the text (not shown: it may be a secret) is not the name of an environment variable",
    "keys[1].api_key_env: the text (not shown: it may be a secret) is not the name of an environment variable",
  ],
  [
    GATEWAY +
      "keys:\n  - {name: billing, api_key_env: NOT_SET}\n  - {name: search, api_key_env: EMPTY_KEY}\n",
    'keys[0].api_key_env: environment variable "NOT_SET" is not set',
    'keys[1].api_key_env: environment variable "EMPTY_KEY" is empty',
  ],
  [
    GATEWAY + 'keys:\n  - {name: billing, api_key_file: ""}\n',
    'keys[0].api_key_file: "" is not a text of 1 to 4096 characters',
  ],
  [
    GATEWAY +
      "keys:\n  - {name: billing, api_key_file: /secrets/billing, owner: {team: 5, cost_centre: x}}\n  - {name: search, api_key_env: SEARCH_KEY, owner: payments}\n",
    "keys[0].owner.team: 5 is not a text of 0 to 128 characters; put it in quotes",
    "keys[0].owner.cost_centre: is not a known field; did you mean cost_center? Known fields: team, project, cost_center",
    "keys[1].owner: a text is not a mapping",
  ],
  [
    GATEWAY + 'keys:\n  - {name: billing, api_key_file: /secrets/billing, show_label: "yes"}\n',
    'keys[0].show_label: "yes" is not true or false',
  ],
  [
    GATEWAY + "keys: [{}]\n",
    "keys[0].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
    "keys[0]: has no secret; set api_key_file or api_key_env",
  ],
]);

badFiles("gateway", [
  [
    "gateway: {timeout: 10s}\n" + KEYS,
    "gateway.base_url: is missing; it must be an https URL of the gateway's API root (http for localhost, or with allow_http)",
  ],
  [
    "gateway: {base_url: http://gateway.example/api/v1}\n" + KEYS,
    'gateway.base_url: "http://gateway.example/api/v1" must use https, because keys are sent to it; http is allowed for localhost, or with gateway.allow_http: true',
  ],
  [
    "gateway: {base_url: https://admin:hunter2@gateway.example/api/v1}\n" + KEYS,
    "gateway.base_url: the URL must not contain credentials",
  ],
  [
    "gateway: {base_url: https://gateway.example/api/v1, timeout: 10}\n" + KEYS,
    "gateway.timeout: 10 is not a duration from 100ms to 10m, such as 10s",
  ],
  [
    "gateway: {base_url: https://gateway.example/api/v1, timeout: 0s, deadline: 99ms}\n" + KEYS,
    'gateway.timeout: "0s" is not a duration from 100ms to 10m, such as 10s',
    'gateway.deadline: "99ms" is not a duration from 100ms to 1h, such as 30s',
  ],
  [
    "gateway: {base_url: https://gateway.example/api/v1, max_pause: 2d}\n" + KEYS,
    'gateway.max_pause: "2d" is not a duration from 1s to 1d, such as 5m',
  ],
  [
    "gateway: {base_url: https://gateway.example/api/v1, timeout: 1m, deadline: 10s}\n" + KEYS,
    "gateway.deadline: 10s is shorter than gateway.timeout, 1m",
  ],
  [
    "gateway: {base_url: https://gateway.example/api/v1, requests_per_minute: -1, connections: 0}\n" + KEYS,
    "gateway.requests_per_minute: -1 is not an integer from 0 to 1000000",
    "gateway.connections: 0 is not an integer from 1 to 1024",
  ],
  [
    "gateway: {base_url: https://gateway.example/api/v1, max_body: 16MB}\n" + KEYS,
    'gateway.max_body: "16MB" is not a size from 1KiB to 16MiB, such as 2MiB, or a number of bytes',
  ],
]);

badFiles("structure, and the folder of keys", [
  ["", "is empty; it needs at least gateway.base_url and a key"],
  ["- a\n- b\n", "is not a mapping of fields such as gateway and keys"],
  [KEYS, "gateway: is missing; it must be a mapping"],
  ["gateway:\n" + KEYS, "gateway: is empty; it must be a mapping"],
  ["gateway: https://gateway.example\n" + KEYS, "gateway: a text is not a mapping"],
  [
    "gateway: {base_url: https://gateway.example/api/v1, base_uri: x}\nkeys: [{name: billing, api_key_file: /secrets/billing}]\nkey_dir: /x\n",
    "gateway.base_uri: is not a known field; did you mean base_url? Known fields: base_url, allow_http, tls, headers, timeout, deadline, requests_per_minute, connections, max_pause, max_body",
    "key_dir: is not a known field; did you mean keys_dir? Known fields: gateway, keys, keys_dir, analytics, discovery, account, budgets, probes, probe_spend, schedule, credit_value, series_limit, shards",
  ],
  [GATEWAY + "keys: []\n", "nothing to poll; set keys, keys_dir or analytics"],
  [
    "gateway: {base_url: http://gateway.example, timeout: 1h}\nkeys:\n  - {name: Billing, api_key: hunter2}\n  - {name: search, api_key_env: NOT_SET}\n  - {name: search, api_key_file: /bad/missing, team: x}\nkeys_dir: /nowhere\nanalytics: {management_key_file: /bad/empty, top: many}\nschedule: {keys: often}\n",
    'gateway.timeout: "1h" is not a duration from 100ms to 10m, such as 10s',
    'gateway.base_url: "http://gateway.example" must use https, because keys are sent to it; http is allowed for localhost, or with gateway.allow_http: true',
    'keys[0].name: "Billing" does not match [a-z0-9][a-z0-9_.-]{0,63}',
    "keys[0].api_key: a secret must not be written in this file; put it into a file and name the file in api_key_file, or into an environment variable and name the variable in api_key_env",
    "keys[2].team: is not a known field; known fields: name, api_key_file, api_key_env, owner, show_label, limit",
    'analytics.top: "many" is not an integer from 1 to 1000',
    'schedule.keys: "often" is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s',
    'keys[2].name: "search" is already the name of keys[1]',
    'keys_dir: folder "/nowhere" does not exist',
    'keys[1].api_key_env: environment variable "NOT_SET" is not set',
    'keys[2].api_key_file: file "/bad/missing" does not exist',
    'analytics.management_key_file: file "/bad/empty" is empty',
  ],
  [GATEWAY + "keys_dir: /nowhere\n", 'keys_dir: folder "/nowhere" does not exist'],
  [GATEWAY + "keys_dir: /denied\n", 'keys_dir: folder "/denied" cannot be read: permission denied'],
  [
    GATEWAY + "keys_dir: /none\n",
    "keys_dir: contains no keys",
    'keys_dir: file "/none/Bad" is skipped: its name does not match [a-z0-9][a-z0-9_.-]{0,63}',
  ],
  [GATEWAY + KEYS + "keys_dir: /twins\n", 'keys_dir: file "/twins/billing" has the same name as keys[0]'],
]);

badFiles("YAML", [
  [GATEWAY + KEYS + GATEWAY, "line 3, column 1: a mapping has the same field twice"],
  [
    GATEWAY + KEYS + "series_limit: 0\nseries_limit: 0\n",
    "line 4, column 1: a mapping has the same field twice",
    "series_limit: 0 is not an integer from 1 to 100000000",
  ],
  [
    GATEWAY + "keys: [{name: billing\n",
    "line 3, column 1: the indentation does not fit, or a bracket is not closed",
  ],
  [GATEWAY + "keys:\n\t- name: x\n", "line 3, column 1: tabs must not be used as indentation"],
  [
    GATEWAY + "keys_dir: a: b\nseries_limit: c: d\n",
    "line 2, column 11: a second colon in one line; put a text that contains one in quotes",
    "line 3, column 15: a second colon in one line; put a text that contains one in quotes",
  ],
  [GATEWAY + KEYS + "---\n" + GATEWAY, "line 3, column 1: the file contains more than one document (---)"],
  [GATEWAY + "keys: [*one]\n", "line 2, column 8: an alias (*) has no anchor (&) before it"],
  [GATEWAY + "keys: !vault /x\n", "line 2, column 7: a tag (!) is not known", "keys: a text is not a list"],
  [GATEWAY + "keys: [{<<: 5}]\n", "its aliases or merge keys (<<) cannot be resolved, or there are too many"],
]);

badFiles("analytics, schedule and the rest", [
  [
    GATEWAY + KEYS + "management_key: hunter2\nmanagement_key_env: KEY\n",
    "management_key: a secret must not be written in this file; put it into a file and name the file in analytics.management_key_file, or into an environment variable and name the variable in analytics.management_key_env",
    "management_key_env: is not a field of this section: it belongs in analytics",
  ],
  [GATEWAY + "analytics: {}\n", "analytics: has no secret; set management_key_file or management_key_env"],
  [
    GATEWAY + "analytics: {management_key: hunter2, top: 0, rates: 1}\n",
    "analytics.top: 0 is not an integer from 1 to 1000",
    "analytics.rates: 1 is not true or false",
    "analytics.management_key: a secret must not be written in this file; put it into a file and name the file in management_key_file, or into an environment variable and name the variable in management_key_env",
  ],
  [
    GATEWAY + "analytics: {management_key_file: nowhere, top: 1001}\n",
    "analytics.top: 1001 is not an integer from 1 to 1000",
    'analytics.management_key_file: file "/etc/aigateway/nowhere" does not exist',
  ],
  [
    GATEWAY + KEYS + 'schedule: {keys: "61 * * foo *", analytics: "* * * *"}\n',
    'schedule.keys: "61 * * foo *" has an invalid minute field "61" and has an invalid month field "foo"',
    'schedule.analytics: "* * * *" is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s',
  ],
  [
    GATEWAY + KEYS + 'schedule: {key: 60s, analytics: "@daily"}\n',
    'schedule.analytics: "@daily" is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s',
    "schedule.key: is not a known field; did you mean keys? Known fields: keys, analytics, discovery",
  ],
  [
    GATEWAY + KEYS + "credit_value: {currency: usd, value: 0}\n",
    'credit_value.currency: "usd" does not match [A-Z]{3}',
    "credit_value.value: 0 is not a finite number above 0",
  ],
  [GATEWAY + KEYS + "series_limit: 0\n", "series_limit: 0 is not an integer from 1 to 100000000"],
]);

const ANALYTICS = "analytics: {management_key_file: /secrets/billing}\n";
const LINEAR = "patterns are those of RE2, which has neither look-around nor back-references";
const OWNER_RULE = "a regular expression with some of the groups team, project, cost_center";

badFiles("discovery", [
  [`${GATEWAY}${KEYS}discovery: {}\n`, "discovery: needs the section analytics"],
  [
    `${GATEWAY}${KEYS}${ANALYTICS}discovery: {enabled: "no", workspaces: [main], include: ["("], exclude: [7], owner: 7}\n`,
    'discovery.enabled: "no" is not true or false',
    'discovery.workspaces[0]: "main" is not a UUID',
    'discovery.include[0]: "(" is not a regular expression',
    "discovery.exclude[0]: 7 is not a regular expression",
    `discovery.owner: 7 is not ${OWNER_RULE}`,
  ],
  [
    `${GATEWAY}${KEYS}${ANALYTICS}discovery: {owner: "^([a-z]+)-"}\n`,
    `discovery.owner: "^([a-z]+)-" is not ${OWNER_RULE}`,
  ],
  [
    `${GATEWAY}${KEYS}${ANALYTICS}discovery: {owner: "^(?<squad>[a-z]+)-"}\n`,
    `discovery.owner: "^(?<squad>[a-z]+)-" has the unknown group "squad"; it must be ${OWNER_RULE}`,
  ],
  [
    `${GATEWAY}${KEYS}${ANALYTICS}discovery: {include: ["^(?!test-)"], owner: "^(?<team>[a-z]+)-\\\\k<team>"}\n`,
    `discovery.include[0]: "^(?!test-)" is not supported: ${LINEAR}`,
    `discovery.owner: "^(?<team>[a-z]+)-\\\\k<team>" is not supported: ${LINEAR}`,
  ],
]);
