import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

badFiles("YAML", [
  {
    name: "a repeated field",
    text: GATEWAY + KEYS + GATEWAY,
    problems: ["line 3, column 1: a mapping has the same field twice"],
  },
  {
    name: "a repeated field and other problems",
    text: GATEWAY + KEYS + "series_limit: 0\nseries_limit: 0\n",
    problems: [
      "line 4, column 1: a mapping has the same field twice",
      "series_limit: 0 is not an integer from 1 to 100000000",
    ],
  },
  {
    name: "a bracket that is not closed",
    text: GATEWAY + "keys: [{name: billing\n",
    problems: ["line 3, column 1: the indentation does not fit, or a bracket is not closed"],
  },
  {
    name: "a tab",
    text: GATEWAY + "keys:\n\t- name: x\n",
    problems: ["line 3, column 1: tabs must not be used as indentation"],
  },
  {
    name: "two colons in a line",
    text: GATEWAY + "keys_dir: a: b\nseries_limit: c: d\n",
    problems: [
      "line 2, column 11: a second colon in one line; put a text that contains one in quotes",
      "line 3, column 15: a second colon in one line; put a text that contains one in quotes",
    ],
  },
  {
    name: "two documents",
    text: GATEWAY + KEYS + "---\n" + GATEWAY,
    problems: ["line 3, column 1: the file contains more than one document (---)"],
  },
  {
    name: "an alias without an anchor",
    text: GATEWAY + "keys: [*one]\n",
    problems: ["line 2, column 8: an alias (*) has no anchor (&) before it"],
  },
  {
    name: "an unknown tag",
    text: GATEWAY + "keys: !vault /x\n",
    problems: ["line 2, column 7: a tag (!) is not known", "keys: a text is not a list"],
  },
  {
    name: "a merge key on a text",
    text: GATEWAY + "keys: [{<<: 5}]\n",
    problems: ["its aliases or merge keys (<<) cannot be resolved, or there are too many"],
  },
]);
