import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

badFiles("analytics, schedule and the rest", [
  {
    name: "analytics without a key",
    text: GATEWAY + "analytics: {}\n",
    problems: ["analytics: has no secret; set management_key_file or management_key_env"],
  },
  {
    name: "analytics with the key itself",
    text: GATEWAY + "analytics: {management_key: hunter2, top: 0, rates: 1}\n",
    problems: [
      "analytics.top: 0 is not an integer from 1 to 1000",
      "analytics.rates: 1 is not true or false",
      "analytics.management_key: a secret must not be written in this file; put it into a file and name the file in management_key_file, or into an environment variable and name the variable in management_key_env",
    ],
  },
  {
    name: "analytics with a missing file",
    text: GATEWAY + "analytics: {management_key_file: nowhere, top: 1001}\n",
    problems: [
      "analytics.top: 1001 is not an integer from 1 to 1000",
      'analytics.management_key_file: file "/etc/aigateway/nowhere" does not exist',
    ],
  },
  {
    name: "a cron expression with bad fields",
    text: GATEWAY + KEYS + 'schedule: {keys: "61 * * foo *", analytics: "* * * *"}\n',
    problems: [
      'schedule.keys: "61 * * foo *" has an invalid minute field "61" and has an invalid month field "foo"',
      'schedule.analytics: "* * * *" is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s',
    ],
  },
  {
    name: "a cron expression that never ends",
    text: GATEWAY + KEYS + 'schedule: {keys: "0-9999999999 * * * *"}\n',
    problems: ['schedule.keys: "0-9999999999 * * * *" has an invalid field "0-9999999999"'],
  },
  {
    name: "a cron expression that never runs",
    text: GATEWAY + KEYS + 'schedule: {keys: "0 0 30 2 *"}\n',
    problems: ['schedule.keys: "0 0 30 2 *" names a day that its months do not have'],
  },
  {
    name: "intervals of the wrong form",
    text: GATEWAY + KEYS + "schedule: {keys: 60, analytics: 500ms}\n",
    problems: [
      "schedule.keys: 60 is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s",
      'schedule.analytics: "500ms" is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s',
    ],
  },
  {
    name: "a schedule with an unknown field",
    text: GATEWAY + KEYS + 'schedule: {key: 60s, analytics: "@daily"}\n',
    problems: [
      'schedule.analytics: "@daily" is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s',
      "schedule.key: is not a known field; did you mean keys? Known fields: keys, analytics, discovery",
    ],
  },
  {
    name: "a currency and a value of the wrong form",
    text: GATEWAY + KEYS + "credit_value: {currency: usd, value: 0}\n",
    problems: [
      'credit_value.currency: "usd" does not match [A-Z]{3}',
      "credit_value.value: 0 is not a finite number above 0",
    ],
  },
  {
    name: "a series limit of zero",
    text: GATEWAY + KEYS + "series_limit: 0\n",
    problems: ["series_limit: 0 is not an integer from 1 to 100000000"],
  },
]);
