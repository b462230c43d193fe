import { badFiles, GATEWAY, KEYS } from "./bad-files.ts";

const ANALYTICS = "analytics: {management_key_file: /secrets/billing}\n";
const OWNER_RULE = "a regular expression with some of the groups team, project, cost_center";

badFiles("discovery", [
  {
    name: "discovery without analytics",
    text: `${GATEWAY}${KEYS}discovery: {}\n`,
    problems: ["discovery: needs the section analytics"],
  },
  {
    name: "values of the wrong form",
    text: `${GATEWAY}${KEYS}${ANALYTICS}discovery: {enabled: "no", workspaces: [main], include: ["("], exclude: [7], owner: 7}\n`,
    problems: [
      'discovery.enabled: "no" is not true or false',
      'discovery.workspaces[0]: "main" is not a UUID',
      'discovery.include[0]: "(" is not a regular expression',
      "discovery.exclude[0]: 7 is not a regular expression",
      `discovery.owner: 7 is not ${OWNER_RULE}`,
    ],
  },
  {
    name: "an owner without a group",
    text: `${GATEWAY}${KEYS}${ANALYTICS}discovery: {owner: "^([a-z]+)-"}\n`,
    problems: [`discovery.owner: "^([a-z]+)-" is not ${OWNER_RULE}`],
  },
  {
    name: "an owner with an unknown group",
    text: `${GATEWAY}${KEYS}${ANALYTICS}discovery: {owner: "^(?<squad>[a-z]+)-"}\n`,
    problems: [
      `discovery.owner: "^(?<squad>[a-z]+)-" has the unknown group "squad"; it must be ${OWNER_RULE}`,
    ],
  },
]);
