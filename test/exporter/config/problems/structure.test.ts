import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

badFiles("structure, and the folder of keys", [
  {
    name: "an empty file",
    text: "",
    problems: ["is empty; it needs at least gateway.base_url and a key"],
  },
  {
    name: "a file of comments",
    text: "# nothing yet\n",
    problems: ["is empty; it needs at least gateway.base_url and a key"],
  },
  {
    name: "a list at the top",
    text: "- a\n- b\n",
    problems: ["is not a mapping of fields such as gateway and keys"],
  },
  {
    name: "a text at the top",
    text: "gateway\n",
    problems: ["is not a mapping of fields such as gateway and keys"],
  },
  {
    name: "no gateway",
    text: KEYS,
    problems: ["gateway: is missing; it must be a mapping"],
  },
  {
    name: "an empty gateway",
    text: "gateway:\n" + KEYS,
    problems: ["gateway: is empty; it must be a mapping"],
  },
  {
    name: "a gateway that is a URL",
    text: "gateway: https://gateway.example\n" + KEYS,
    problems: ["gateway: a text is not a mapping"],
  },
  {
    name: "unknown fields",
    text: "gateway: {base_url: https://gateway.example/api/v1, base_uri: x}\nkeys: [{name: billing, api_key_file: /secrets/billing}]\nkey_dir: /x\n",
    problems: [
      "gateway.base_uri: is not a known field; did you mean base_url? Known fields: base_url, timeout, deadline, requests_per_minute, connections, max_pause, max_body",
      "key_dir: is not a known field; did you mean keys_dir? Known fields: gateway, keys, keys_dir, analytics, discovery, budgets, probes, probe_spend, schedule, credit_value, series_limit, shards",
    ],
  },
  {
    name: "nothing to poll",
    text: GATEWAY,
    problems: ["nothing to poll; set keys, keys_dir or analytics"],
  },
  {
    name: "an empty list of keys",
    text: GATEWAY + "keys: []\n",
    problems: ["nothing to poll; set keys, keys_dir or analytics"],
  },
  {
    name: "all at once",
    text: "gateway: {base_url: http://gateway.example, timeout: 1h}\nkeys:\n  - {name: Billing, api_key: hunter2}\n  - {name: search, api_key_env: NOT_SET}\n  - {name: search, api_key_file: /bad/missing, team: x}\nkeys_dir: /nowhere\nanalytics: {management_key_file: /bad/empty, top: many}\nschedule: {keys: often}\n",
    problems: [
      'gateway.base_url: "http://gateway.example" must use https, because keys are sent to it; http is allowed for localhost only',
      'gateway.timeout: "1h" is not a duration from 100ms to 10m, such as 10s',
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
  },
  {
    name: "a folder of keys that does not exist",
    text: GATEWAY + "keys_dir: /nowhere\n",
    problems: ['keys_dir: folder "/nowhere" does not exist'],
  },
  {
    name: "a folder of keys that cannot be listed",
    text: GATEWAY + "keys_dir: /denied\n",
    problems: ['keys_dir: folder "/denied" cannot be read: permission denied'],
  },
  {
    name: "a folder without keys",
    text: GATEWAY + "keys_dir: /none\n",
    problems: [
      "keys_dir: contains no keys",
      'keys_dir: file "/none/Bad" is skipped: its name does not match [a-z0-9][a-z0-9_.-]{0,63}',
    ],
  },
  {
    name: "a name in keys and keys_dir",
    text: GATEWAY + KEYS + "keys_dir: /twins\n",
    problems: ['keys_dir: file "/twins/billing" has the same name as keys[0]'],
  },
]);
