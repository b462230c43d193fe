import { badFiles, GATEWAY } from "./bad-files.ts";

badFiles("keys", [
  {
    name: "keys without entries",
    text: GATEWAY + "keys:\n",
    problems: ["keys: is empty; it must be a list"],
  },
  {
    name: "keys that are a mapping",
    text: GATEWAY + "keys: {billing: /secrets/billing}\n",
    problems: ["keys: a mapping is not a list"],
  },
  {
    name: "an entry that is a text",
    text: GATEWAY + "keys: [billing]\n",
    problems: ["keys[0]: a text is not a mapping"],
  },
  {
    name: "names of the wrong form",
    text:
      GATEWAY +
      "keys:\n  - {name: Billing, api_key_file: /secrets/billing}\n  - {name: -x, api_key_file: /secrets/billing}\n  - {name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, api_key_file: /secrets/billing}\n",
    problems: [
      'keys[0].name: "Billing" does not match [a-z0-9][a-z0-9_.-]{0,63}',
      'keys[1].name: "-x" does not match [a-z0-9][a-z0-9_.-]{0,63}',
      'keys[2].name: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…" does not match [a-z0-9][a-z0-9_.-]{0,63}',
    ],
  },
  {
    name: "names that are not texts",
    text:
      GATEWAY +
      "keys:\n  - {name: 4711, api_key_file: /secrets/billing}\n  - {name: , api_key_file: /secrets/billing}\n  - {api_key_file: /secrets/billing}\n",
    problems: [
      "keys[0].name: 4711 is not a text that matches [a-z0-9][a-z0-9_.-]{0,63}; put it in quotes",
      "keys[1].name: is empty; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
      "keys[2].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
    ],
  },
  {
    name: "a repeated name",
    text:
      GATEWAY +
      "keys:\n  - {name: billing, api_key_file: /secrets/billing}\n  - {name: search, api_key_env: SEARCH_KEY}\n  - {name: billing, api_key_file: /secrets/billing}\n",
    problems: ['keys[2].name: "billing" is already the name of keys[0]'],
  },
  {
    name: "no secret",
    text: GATEWAY + "keys:\n  - {name: billing}\n",
    problems: ["keys[0]: has no secret; set api_key_file or api_key_env"],
  },
  {
    name: "two secrets",
    text: GATEWAY + "keys:\n  - {name: billing, api_key_file: /secrets/billing, api_key_env: SEARCH_KEY}\n",
    problems: ["keys[0]: api_key_file and api_key_env are mutually exclusive; keep one of them"],
  },
  {
    name: "the secret itself",
    text: GATEWAY + "keys:\n  - {name: billing, api_key: hunter2}\n  - {name: search, token: hunter2}\n",
    problems: [
      "keys[0].api_key: a secret must not be written in this file; put it into a file and name the file in api_key_file, or into an environment variable and name the variable in api_key_env",
      "keys[1].token: a secret must not be written in this file; put it into a file and name the file in api_key_file, or into an environment variable and name the variable in api_key_env",
    ],
  },
  {
    name: "the secret in place of its variable",
    text:
      GATEWAY +
      "keys:\n  - {name: billing, api_key_env: hunter2-and-more}\n  - {name: search, api_key_env: Zm9vYmFyYmF6cXV4Zm9v2}\n",
    problems: [
      "keys[0].api_key_env: the text (not shown: it may be a secret) is not the name of an environment variable",
      "keys[1].api_key_env: the text (not shown: it may be a secret) is not the name of an environment variable",
    ],
  },
  {
    name: "a variable that is not set, and one that is empty",
    text:
      GATEWAY +
      "keys:\n  - {name: billing, api_key_env: NOT_SET}\n  - {name: search, api_key_env: EMPTY_KEY}\n",
    problems: [
      'keys[0].api_key_env: environment variable "NOT_SET" is not set',
      'keys[1].api_key_env: environment variable "EMPTY_KEY" is empty',
    ],
  },
  {
    name: "a path that is empty",
    text: GATEWAY + 'keys:\n  - {name: billing, api_key_file: ""}\n',
    problems: ['keys[0].api_key_file: "" is not a text of 1 to 4096 characters'],
  },
  {
    name: "owners of the wrong form",
    text:
      GATEWAY +
      "keys:\n  - {name: billing, api_key_file: /secrets/billing, owner: {team: 5, cost_centre: x}}\n  - {name: search, api_key_env: SEARCH_KEY, owner: payments}\n",
    problems: [
      "keys[0].owner.team: 5 is not a text of 0 to 128 characters; put it in quotes",
      "keys[0].owner.cost_centre: is not a known field; did you mean cost_center? Known fields: team, project, cost_center",
      "keys[1].owner: a text is not a mapping",
    ],
  },
  {
    name: "a flag that is a text",
    text: GATEWAY + 'keys:\n  - {name: billing, api_key_file: /secrets/billing, show_label: "yes"}\n',
    problems: ['keys[0].show_label: "yes" is not true or false'],
  },
  {
    name: "an empty entry",
    text: GATEWAY + "keys: [{}]\n",
    problems: [
      "keys[0].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
      "keys[0]: has no secret; set api_key_file or api_key_env",
    ],
  },
]);
