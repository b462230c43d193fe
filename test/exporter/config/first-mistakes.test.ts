import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemFiles } from "../../../exporter/secrets/files.ts";
import { loadConfig } from "../../../exporter/config/load.ts";
import { formatProblem } from "../../../exporter/config/problem.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/mistakes-`);
});

afterAll(() => rm(folder, { recursive: true }));

/** What a user sees. */
async function linesAbout(content: string | Uint8Array): Promise<readonly string[]> {
  const path = `${folder}/c.yaml`;
  await writeFile(path, content);
  const result = await loadConfig({ ...systemFiles, path, env: { SECRET: "sk-0123456789abcdef" } });
  return result.ok ? [] : result.problems.map((problem) => formatProblem("c.yaml", problem));
}

const KEY = "keys: [{name: billing, api_key_env: SECRET}]\n";
const GATEWAY = 'gateway:\n  base_url: "https://gateway.example"\n';

describe("the first mistakes of a new user", () => {
  test.each([
    [
      `gateway:\n  base_ulr: "https://gateway.example"\n${KEY}`,
      [
        "c.yaml: line 1: gateway.base_url: is missing; it must be an https URL of the gateway's API root (http for localhost, or with allow_http)",
        "c.yaml: line 2: gateway.base_ulr: is not a known field; did you mean base_url? Known fields: base_url, allow_http, tls, headers, timeout, deadline, requests_per_minute, connections, max_pause, max_body",
      ],
    ],
    [
      `${GATEWAY}${KEY}credit_valeu: {value: 2}\n`,
      [
        "c.yaml: line 4: credit_valeu: is not a known field; did you mean credit_value? Known fields: gateway, keys, keys_dir, analytics, discovery, account, budgets, probes, probe_spend, schedule, credit_value, series_limit, shards",
      ],
    ],
    [
      `${GATEWAY}${KEY}listen: 9853\n`,
      [
        "c.yaml: line 4: listen: is not a known field; known fields: gateway, keys, keys_dir, analytics, discovery, account, budgets, probes, probe_spend, schedule, credit_value, series_limit, shards",
      ],
    ],
    [
      `${GATEWAY}  connections: "64"\n${KEY}`,
      ['c.yaml: line 3: gateway.connections: "64" is not an integer from 1 to 1024; write it without quotes'],
    ],
    [
      `${GATEWAY}keys:\n  - {name: billing, api_key_env: SECRET, show_label: "true"}\n`,
      ['c.yaml: line 4: keys[0].show_label: "true" is not true or false; write it without quotes'],
    ],
    [
      `${GATEWAY}keys:\n  - name: billing\n    api_key_env: SECRET\n  - name: Search\n    api_key_env: SECRET\n`,
      ['c.yaml: line 6: keys[1].name: "Search" does not match [a-z0-9][a-z0-9_.-]{0,63}'],
    ],
    [
      `${GATEWAY}keys_dir: ~/keys\n`,
      [
        'c.yaml: line 3: keys_dir: "~/keys" is not a path: ~ and variables are not expanded; write it in full',
      ],
    ],
    [
      `${GATEWAY}keys: [{name: billing, api_key_file: "\${HOME}/keys/billing"}]\n`,
      [
        'c.yaml: line 3: keys[0].api_key_file: "${HOME}/keys/billing" is not a path: ~ and variables are not expanded; write it in full',
      ],
    ],
    [
      `${GATEWAY}${KEY}schedule:\n  keys: */5 * * * *\n`,
      ['c.yaml: line 5, column 9: a value that begins with * must be in quotes, such as "*/5 * * * *"'],
    ],
    [
      `${GATEWAY}${KEY}schedule:\n  keys: * * * * *\n`,
      ['c.yaml: line 5, column 9: a value that begins with * must be in quotes, such as "*/5 * * * *"'],
    ],
    [
      `${GATEWAY}${KEY}schedule: {keys: */5 * * * *}\n`,
      ['c.yaml: line 4, column 18: a value that begins with * must be in quotes, such as "*/5 * * * *"'],
    ],
    [
      `gateway:\n  base_url: "https://gateway.example\n${KEY}schedule:\n  keys: 1m\n`,
      ["c.yaml: line 2, column 13: a quote that opens here is not closed in its line"],
    ],
    [
      `gateway:\n  base_url: "https://gateway.example\n${KEY}schedule:\n  keys: "1m"\n`,
      ["c.yaml: line 2, column 13: a quote that opens here is not closed in its line"],
    ],
    [
      `${GATEWAY}${KEY}schedule:\n  keys: '1m\n  analytics: 5m\n`,
      ["c.yaml: line 5, column 9: a quote that opens here is not closed in its line"],
    ],
    [Buffer.from(`${GATEWAY}${KEY}# Z\u00fcrich\n`, "latin1"), ["c.yaml: is not UTF-8 text"]],
  ] as const)("%j", async (content, expected) => {
    expect(await linesAbout(content)).toEqual(expected);
  });

  test("an alias, an anchor and a text of several lines are not mistaken for them", async () => {
    const text = `${GATEWAY}keys:\n  - {name: a, api_key_env: SECRET, owner: &owner {team: "two\n      lines"}}\n  - {name: b, api_key_env: SECRET, owner: *owner}\n`;
    expect(await linesAbout(text)).toEqual([]);
  });
});
