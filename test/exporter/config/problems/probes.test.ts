import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

const SPEND = "probe_spend: {max_cost_per_day: 1, max_cost_per_probe: 0.1}\n";
const PROBE = "name: a, key: billing, model: acme/ear";

badFiles("probes", [
  {
    name: "probes without entries, and an empty guard",
    text: GATEWAY + KEYS + "probes:\nprobe_spend:\n",
    problems: ["probes: is empty; it must be a list", "probe_spend: is empty; it must be a mapping"],
  },
  {
    name: "an empty entry",
    text: GATEWAY + KEYS + SPEND + "probes: [{}]\n",
    problems: [
      "probes[0].name: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
      "probes[0].key: is missing; it must be a text that matches [a-z0-9][a-z0-9_.-]{0,63}",
      "probes[0].model: is missing; it must be a text that matches [^\\s/]+\\/\\S+",
    ],
  },
  {
    name: "values of the wrong form",
    text:
      GATEWAY +
      KEYS +
      SPEND +
      "probes:\n  - {name: a, key: billing, model: ear, max_word_error_rate: 11, expected_language: english, response_format: text, upload: ftp, schedule: never, timeout: 0s}\n",
    problems: [
      'probes[0].model: "ear" does not match [^\\s/]+\\/\\S+',
      "probes[0].max_word_error_rate: 11 is not a number from 0 to 10",
      'probes[0].expected_language: "english" does not match [a-z]{2}',
      'probes[0].response_format: "text" is not json or verbose_json',
      'probes[0].upload: "ftp" is not json or multipart',
      'probes[0].schedule: "never" is not a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s',
      'probes[0].timeout: "0s" is not a duration from 1s to 30m, such as 1m',
      "probes[0].expected_language: needs response_format verbose_json: json does not report the language",
    ],
  },
  {
    name: "no guard",
    text: GATEWAY + KEYS + `probes: [{${PROBE}}]\n`,
    problems: ["probe_spend: is missing; it is required with probes, which cost credits"],
  },
  {
    name: "a guard without amounts",
    text: GATEWAY + KEYS + `probes: [{${PROBE}}]\nprobe_spend: {max_cost_per_day: 0}\n`,
    problems: [
      "probe_spend.max_cost_per_day: 0 is not a finite number above 0",
      "probe_spend.max_cost_per_probe: is missing; it must be a finite number above 0",
    ],
  },
  {
    name: "a guard that allows no run",
    text:
      GATEWAY +
      KEYS +
      `probes: [{${PROBE}}]\nprobe_spend: {max_cost_per_day: 0.1, max_cost_per_probe: 0.2}\n`,
    problems: [
      "probe_spend.max_cost_per_probe: 0.2 is more than max_cost_per_day, 0.1, so no probe could ever run",
    ],
  },
  {
    name: "a repeated name, and a key that does not exist",
    text: GATEWAY + KEYS + SPEND + `probes: [{${PROBE}}, {name: a, key: other, model: acme/ear}]\n`,
    problems: [
      'probes[1].name: "a" is already the name of probes[0]',
      'probes[1].key: "other" is not a key in keys or keys_dir',
    ],
  },
  {
    name: "the bundled sample with a text and a format",
    text: GATEWAY + KEYS + SPEND + `probes: [{${PROBE}, expected_text: hello, format: wav}]\n`,
    problems: [
      "probes[0].format: applies to audio only; the bundled sample has its own",
      "probes[0].expected_text: applies to audio only; the bundled sample has its own",
    ],
  },
  {
    name: "audio without a text and a format, and without a file",
    text: GATEWAY + KEYS + SPEND + `probes: [{${PROBE}, audio: /audio/hello}]\n`,
    problems: [
      "probes[0].expected_text: is missing; it is required with audio",
      "probes[0].format: is missing, and the name of the audio file does not end in a known one",
      'probes[0].audio: file "/audio/hello" does not exist',
    ],
  },
  {
    name: "a language with a response format that does not report it",
    text: GATEWAY + KEYS + SPEND + `probes: [{${PROBE}, expected_language: en}]\n`,
    problems: [
      "probes[0].expected_language: needs response_format verbose_json: json does not report the language",
    ],
  },
]);
