import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

const OWNED =
  "keys:\n  - {name: billing, api_key_file: /secrets/billing, owner: {team: payments}}\n  - {name: search, api_key_env: SEARCH_KEY}\n";
const ANALYTICS = "analytics: {management_key_file: /secrets/billing}\n";
const BUDGET = "name: a, limit: 1, window: day";

badFiles("budgets", [
  {
    name: "budgets without entries",
    text: GATEWAY + KEYS + "budgets:\n",
    problems: ["budgets: is empty; it must be a list"],
  },
  {
    name: "budgets that are a mapping, and an entry that is a text",
    text: GATEWAY + KEYS + "budgets: [a]\n",
    problems: ["budgets[0]: a text is not a mapping"],
  },
  {
    name: "the rest of the models and of the apps",
    text:
      GATEWAY +
      KEYS +
      ANALYTICS +
      `budgets: [{${BUDGET}, model: _other}, {name: b, limit: 1, window: day, app: _other}]\n`,
    problems: [
      'budgets[0].model: "_other" is not one model, but the rest of all that have no series of their own; a budget cannot cover it',
      'budgets[1].app: "_other" is not one app, but the rest of all that have no series of their own; a budget cannot cover it',
    ],
  },
  {
    name: "an empty entry",
    text: GATEWAY + KEYS + "budgets: [{}]\n",
    problems: [
      "budgets[0].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
      "budgets[0].limit: is missing; it must be a finite number above 0",
      "budgets[0].window: is missing; it must be day, week, month or total",
      "budgets[0]: covers nothing; set one of keys, model, app, account",
    ],
  },
  {
    name: "values of the wrong form",
    text:
      GATEWAY +
      KEYS +
      "budgets:\n  - {name: A, limit: 0, window: year, keys: some}\n  - {name: b, limit: .inf, window: day, keys: all, team: 5}\n  - {name: c, limit: -1, window: day, keys: all, owner: x}\n",
    problems: [
      'budgets[0].name: "A" does not match [a-z0-9][a-z0-9_.-]{0,63}',
      "budgets[0].limit: 0 is not a finite number above 0",
      'budgets[0].window: "year" is not day, week, month or total',
      'budgets[0].keys: "some" is not all, a list of names, or a mapping of team, project, cost_center',
      "budgets[1].limit: Infinity is not a finite number above 0",
      "budgets[1].team: 5 is not a text of 0 to 128 characters; put it in quotes",
      "budgets[2].limit: -1 is not a finite number above 0",
      "budgets[2].owner: is not a known field; known fields: name, limit, window, since, keys, model, app, account, team",
    ],
  },
  {
    name: "a repeated name",
    text: GATEWAY + KEYS + `budgets: [{${BUDGET}, keys: all}, {${BUDGET}, keys: [billing]}]\n`,
    problems: ['budgets[1].name: "a" is already the name of budgets[0]'],
  },
  {
    name: "more than one scope, and two of them without analytics",
    text: GATEWAY + KEYS + `budgets: [{${BUDGET}, keys: all, model: acme/one, account: true}]\n`,
    problems: [
      "budgets[0]: keys and model and account are mutually exclusive; keep one of them",
      "budgets[0].model: needs the section analytics",
      "budgets[0].account: needs the section analytics",
    ],
  },
  {
    name: "an account that is not true, an empty app, and a model that is not a text",
    text:
      GATEWAY +
      ANALYTICS +
      `budgets: [{${BUDGET}, account: false}, {name: b, limit: 1, window: day, app: ""}, {name: c, limit: 1, window: day, model: 5}]\n`,
    problems: [
      "budgets[0].account: false is not true",
      'budgets[1].app: "" is not a text of 1 to 2048 characters',
      "budgets[2].model: 5 is not a text of 1 to 2048 characters; put it in quotes",
    ],
  },
  {
    name: "keys that do not exist, are not names, or are repeated",
    text:
      GATEWAY +
      OWNED +
      `budgets: [{${BUDGET}, keys: [billing, payments, billing]}, {name: b, limit: 1, window: day, keys: [Billing, 5]}, {name: c, limit: 1, window: day, keys: []}]\n`,
    problems: [
      'budgets[1].keys[0]: "Billing" does not match [a-z0-9][a-z0-9_.-]{0,63}',
      "budgets[1].keys[1]: 5 is not a text that matches [a-z0-9][a-z0-9_.-]{0,63}; put it in quotes",
      "budgets[2].keys: is an empty list; name at least one key",
      'budgets[0].keys[1]: "payments" is not a key in keys or keys_dir',
      'budgets[0].keys[2]: "billing" is listed twice',
    ],
  },
  {
    name: "a key that is not in the folder either",
    text: GATEWAY + `keys_dir: /twins\nbudgets: [{${BUDGET}, keys: [billing, search]}]\n`,
    problems: ['budgets[0].keys[1]: "search" is not a key in keys or keys_dir'],
  },
  {
    name: "a folder that cannot be listed, so that its keys are unknown",
    text: GATEWAY + `keys_dir: /denied\nbudgets: [{${BUDGET}, keys: [billing]}]\n`,
    problems: ['keys_dir: folder "/denied" cannot be read: permission denied'],
  },
  {
    name: "owners without keys, without a label, and with an unknown label",
    text:
      GATEWAY +
      OWNED +
      `budgets: [{${BUDGET}, keys: {team: nobody}}, {name: b, limit: 1, window: day, keys: {}}, {name: c, limit: 1, window: day, keys: {teams: payments, project: ""}}, {name: d, limit: 1, window: day, keys: {team: payments, project: invoices}}]\n`,
    problems: [
      "budgets[1].keys: is empty; set team, project or cost_center",
      'budgets[2].keys.project: "" is not a text of 1 to 128 characters',
      "budgets[2].keys.teams: is not a known field; did you mean team? Known fields: team, project, cost_center",
      "budgets[0].keys: no key has this owner",
      "budgets[3].keys: no key has this owner",
    ],
  },
  {
    name: "all keys if no key is configured",
    text: GATEWAY + ANALYTICS + `budgets: [{${BUDGET}, keys: all}]\n`,
    problems: ["budgets[0].keys: no key is configured"],
  },
  {
    name: "a total without since, and since without a total",
    text:
      GATEWAY +
      ANALYTICS +
      "budgets: [{name: a, limit: 1, window: total, account: true}, {name: b, limit: 1, window: month, since: 2026-11-01, account: true}]\n",
    problems: [
      "budgets[0].since: is missing; it is required with window total",
      'budgets[1].since: applies to window total only, not to "month"',
    ],
  },
  {
    name: "a total over keys",
    text: GATEWAY + KEYS + "budgets: [{name: a, limit: 1, window: total, since: 2026-11-01, keys: all}]\n",
    problems: [
      'budgets[0].window: "total" applies to account, model and app only: keys report their spend by day, week and month',
    ],
  },
  {
    name: "texts that are not dates",
    text:
      GATEWAY +
      ANALYTICS +
      "budgets: [{name: a, limit: 1, window: total, since: 2026-02-30, account: true}, {name: b, limit: 1, window: total, since: 20261101, account: true}]\n",
    problems: [
      'budgets[0].since: "2026-02-30" is not a date or a date-time in UTC, such as 2026-11-01 or 2026-11-01T08:30:00Z',
      "budgets[1].since: 20261101 is not a date or a date-time in UTC, such as 2026-11-01 or 2026-11-01T08:30:00Z",
    ],
  },
  {
    name: "the secret in place of a name",
    text: GATEWAY + KEYS + `budgets: [{${BUDGET}, keys: sk-hunter2-and-more, api_key: hunter2}]\n`,
    problems: [
      "budgets[0].keys: (not shown: it looks like a secret) is not all, a list of names, or a mapping of team, project, cost_center",
      "budgets[0].api_key: a secret must not be written in this file; put it into a file and name the file in api_key_file, or into an environment variable and name the variable in api_key_env",
    ],
  },
]);
