import { describe, expect, test } from "vitest";
import { formatProblem } from "../../../exporter/config/problem.ts";
import { loadText, type Surroundings } from "../secrets/simulated-files.ts";

const GATEWAY = "gateway: {base_url: https://gateway.example/api/v1}\n";
const NO_OWNER = { team: "", project: "", costCenter: "" };

async function load(text: string, surroundings?: Surroundings) {
  const result = await loadText(text, surroundings);
  if (!result.ok)
    throw new Error(result.problems.map((problem) => formatProblem("file", problem)).join("\n"));
  return result;
}

describe("loadConfig", () => {
  test("refuses free text that holds a secret, without showing it", async () => {
    const secret = "correct-horse-battery";
    const text = `gateway: {base_url: "https://gateway.example/${secret}/v1"}
keys: [{name: billing, api_key_file: /k, owner: {team: "of ${secret}"}}]\n`;
    const result = await loadText(text, { files: { "/k": secret } });
    const shown = result.ok ? [] : result.problems.map((problem) => formatProblem("file", problem));
    const why = "contains a secret (not shown), which must not be in the configuration";
    expect(shown).toEqual([
      `file: line 1: gateway.base_url: ${why}`,
      `file: line 2: keys[0].owner.team: ${why}`,
    ]);
  });

  test("fills in every default", async () => {
    const { config, warnings } = await load(`${GATEWAY}keys: [{name: billing, api_key_file: /k}]\n`, {
      files: { "/k": "sk-one" },
    });
    const source = {
      origin: 'file "/k"',
      path: "/k",
      read: expect.any(Function),
      hash: expect.any(Function),
    };
    expect(warnings).toEqual([]);
    expect(config).toEqual({
      gateway: {
        baseUrl: "https://gateway.example/api/v1",
        timeoutMs: 10_000,
        deadlineMs: 30_000,
        requestsPerMinute: 600,
        connections: 64,
        maxPauseMs: 300_000,
        maxBodyBytes: 2 * 1024 ** 2,
      },
      keys: [{ name: "billing", secret: source, owner: NO_OWNER, showLabel: false }],
      analytics: undefined,
      discovery: undefined,
      budgets: [],
      schedule: {
        keys: { kind: "cron", expression: "* * * * *" },
        analytics: { kind: "cron", expression: "*/5 * * * *" },
        discovery: { kind: "cron", expression: "*/5 * * * *" },
      },
      creditValue: undefined,
      seriesLimit: 1_000_000,
      shards: 1,
      hash: expect.any(Number),
    });
  });

  test("reads every field as written", async () => {
    const { config } = await load(
      `
gateway: { base_url: "http://127.0.0.1:8080/api/v1//", timeout: 1m30s, deadline: 1h, requests_per_minute: 0,
           connections: 2, max_pause: 500s, max_body: 2048 }
keys:
  - name: billing
    api_key_env: BILLING
    owner: { team: payments, project: "a b", cost_center: "4711" }
    show_label: true
analytics: { management_key_env: MANAGEMENT, top: 7, rates: true }
schedule: { keys: 60s, analytics: " 30 */5 * * *  MON-FRI" }
credit_value: { currency: EUR, value: 0.5, former: [{ until: 2026-01-01, value: 0.4 }] }
series_limit: 10
`,
      { env: { BILLING: "sk-one", MANAGEMENT: "sk-two" } },
    );
    expect(config).toMatchObject({
      gateway: {
        baseUrl: "http://127.0.0.1:8080/api/v1",
        timeoutMs: 90_000,
        deadlineMs: 3_600_000,
        requestsPerMinute: 0,
        connections: 2,
        maxPauseMs: 500_000,
        maxBodyBytes: 2048,
      },
      keys: [
        {
          name: "billing",
          secret: { origin: 'environment variable "BILLING"' },
          owner: { team: "payments", project: "a b", costCenter: "4711" },
          showLabel: true,
        },
      ],
      analytics: { managementKey: { origin: 'environment variable "MANAGEMENT"' }, top: 7, rates: true },
      schedule: {
        keys: { kind: "interval", ms: 60_000 },
        analytics: { kind: "cron", expression: "30 */5 * * * MON-FRI" },
      },
      creditValue: { currency: "EUR", value: 0.5, former: [{ untilMs: Date.UTC(2026, 0), value: 0.4 }] },
      seriesLimit: 10,
    });
  });

  test("needs no key if analytics are configured", async () => {
    const text = `${GATEWAY}keys_dir: /k\nanalytics: {management_key_env: MANAGEMENT}\n`;
    const { config } = await load(text, { env: { MANAGEMENT: "sk-one" }, folders: ["/k"] });
    expect(config.keys).toEqual([]);
    expect(config.analytics).toMatchObject({ top: 1000, rates: false });
  });

  test("reads relative paths from the folder of the configuration file", async () => {
    const text = `${GATEWAY}keys: [{name: a, api_key_file: secrets/a}]\nkeys_dir: ../keys\n`;
    const { config } = await load(text, {
      files: { "/etc/aigateway/secrets/a": "sk-one", "/etc/keys/b": "sk-two" },
    });
    const origins = config.keys.map(({ secret }) => secret.origin);
    expect(origins).toEqual(['file "/etc/aigateway/secrets/a"', 'file "/etc/keys/b"']);
  });

  test("supports anchors, aliases for hundreds of keys, and merge keys", async () => {
    const entries = Array.from(
      { length: 500 },
      (_, index) => `  - {name: k${index}, api_key_file: /k/${index}, owner: *team}`,
    );
    const text = `${GATEWAY}keys:
  - &first {name: first, api_key_file: /k/first, owner: &team {team: payments}}
  - {<<: *first, name: second, api_key_file: /k/second}
${entries.join("\n")}\n`;
    const names = ["first", "second", ...entries.map((_, index) => String(index))];
    const files = Object.fromEntries(names.map((name) => [`/k/${name}`, `sk-${name}`]));
    const { config } = await load(text, { files });
    expect(config.keys).toHaveLength(502);
    expect(config.keys.every(({ owner }) => owner.team === "payments")).toBe(true);
  });
});

describe("keys_dir", () => {
  const TEXT = `${GATEWAY}keys: [{name: zeta, api_key_env: ZETA}]\nkeys_dir: /k\n`;
  const env = { ZETA: "sk-zeta" };

  test("adds a key for each file, by name, after those of the configuration file", async () => {
    const files = {
      "/k/b": "sk-b\n",
      "/k/a.key": "sk-a\r\n",
      "/k/..data/b": "sk-b",
      "/k/.hidden": "",
      "/k/x/y": "",
    };
    const { config, warnings } = await load(TEXT, { env, files });
    expect(config.keys.map(({ name }) => name)).toEqual(["zeta", "a.key", "b"]);
    expect(config.keys[1]).toMatchObject({ owner: NO_OWNER, showLabel: false });
    expect(warnings).toEqual([]);
  });

  test("warns about each bad file and loads the others", async () => {
    const { config, warnings } = await load(TEXT, {
      env,
      files: { "/k/Bad Name": "sk-x", "/k/empty": "\n", "/k/good": "sk-good", "/k/two": "sk-1\nsk-2" },
      unreadable: { "/k/denied": "EACCES" },
    });
    expect(config.keys.map(({ name }) => name)).toEqual(["zeta", "denied", "empty", "good", "two"]);
    expect(warnings).toEqual([
      'keys_dir: file "/k/Bad Name" is skipped: its name does not match [a-z0-9][a-z0-9_.-]{0,63}',
      'keys_dir: file "/k/denied" cannot be read: permission denied; polls of key "denied" fail until that is fixed',
      'keys_dir: file "/k/empty" is empty; polls of key "empty" fail until that is fixed',
      'keys_dir: file "/k/two" is not one line of printable ASCII without spaces; polls of key "two" fail until that is fixed',
    ]);
    await expect(config.keys[2]?.secret.read()).rejects.toThrow(
      'Cannot read a secret: file "/k/empty" is empty',
    );
  });

  test("warns about two keys with the same secret, which it does not show", async () => {
    const { warnings } = await load(TEXT, { env, files: { "/k/a": "sk-zeta\n" } });
    expect(warnings).toEqual([
      'keys_dir: key "a" has the same secret as key "zeta": sums and budgets over keys count its credits twice',
    ]);
  });
});
