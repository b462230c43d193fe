import { describe, expect, test } from "vitest";
import { keyCollector } from "../../../exporter/collectors/key.ts";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { parseKey } from "../../../exporter/gateway/wire/key.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { createFakeClient, resultOf } from "../../support/fake-client.ts";
import { planted } from "../../support/planted-secrets.ts";
import { testConfig, testKey } from "../../support/test-config.ts";
import { CONTRACT_DATA } from "./key-exposition.ts";
import { analyticsBody, NOON, runOn } from "./analytics-exposition.ts";

const ONE = new Secret(planted("one"));
const OTHER = new Secret(planted("other"));

function row(model: string | null, app: string | null, credits: number, more: object = {}) {
  return { model, app, total_usage: credits, request_count: 1, ...more };
}

const RATES = { cache_hit_rate: 0.5 };

/** The lines about credits and rates, and what else the result contains. */
async function shown(rows: readonly object[], top = 10) {
  const total = analyticsBody([{ total_usage: 100, request_count: 50 }]);
  const pairs = analyticsBody(rows);
  const { lines, ...result } = await runOn([pairs, pairs], total, { rates: true, top });
  const usage = lines.filter((line) => /_credits{|_ratio|colliding/.test(line));
  return { ...result, text: lines.join("\n"), lines: usage.map((line) => line.replace(/^aigateway_/, "")) };
}

describe("a model or an app whose name reveals a secret", () => {
  test("is shown as _concealed, counted, and reported without the name", async () => {
    const { lines, concealedLabels, warning } = await shown([
      row("acme/one", `App of ${ONE.reveal()}`, 5, RATES),
      row("acme/one", "Chat", 3),
    ]);
    expect(lines).toEqual([
      'analytics_colliding_rows{query="day"} 0',
      'usage_day_credits{model="acme/one",app="_concealed"} 5',
      'usage_day_credits{model="acme/one",app="Chat"} 3',
      'usage_day_credits{model="_other",app="_other"} 92',
      'cache_hit_ratio{model="acme/one",app="_concealed"} 0.5',
    ]);
    expect(concealedLabels).toBe(1);
    expect(warning).toBe("some names of models or apps reveal a secret and are shown as _concealed");
  });

  test("is added to others of which the same is shown, without their rates, and counted as a collision", async () => {
    const { lines, concealedLabels } = await shown([
      row("acme/one", ONE.reveal(), 5, RATES),
      row("acme/one", OTHER.reveal(), 3, RATES),
      row(OTHER.reveal(), ONE.reveal(), 1, RATES),
    ]);
    expect(lines).toEqual([
      'analytics_colliding_rows{query="day"} 1',
      'usage_day_credits{model="acme/one",app="_concealed"} 8',
      'usage_day_credits{model="_concealed",app="_concealed"} 1',
      'usage_day_credits{model="_other",app="_other"} 91',
      'cache_hit_ratio{model="_concealed",app="_concealed"} 0.5',
    ]);
    expect(concealedLabels).toBe(4);
  });

  test("counts for a budget that names it, because a budget compares the texts themselves", async () => {
    const { value } = await shown([row("m", ONE.reveal(), 5)]);
    expect(value).toMatchObject({
      pairs: [{ app: "_concealed" }, { app: "_other" }],
      spend: { breakdown: { pairs: [{ model: "m", app: ONE.reveal(), credits: 5 }] } },
    });
  });
});

describe("the label of a key", () => {
  test.each([
    ["that reveals another key", () => `Key ${OTHER.reveal()}`, "_concealed"],
    ["that is masked", () => `${ONE.reveal().slice(0, 12)}...${ONE.reveal().slice(-3)}`, undefined],
  ])("%s", async (_name, labelOf, wanted) => {
    const [job] = keyCollector.jobs(testConfig({ keys: [testKey("a", { showLabel: true })] }));
    if (!job) throw new Error("Cannot find the job of the key");
    const key = parseKey({ data: { ...CONTRACT_DATA, label: labelOf() } }, "read it");
    const { client } = createFakeClient({ key });
    const result = await resultOf(job, client, NOON);
    const lines = sampleLines(keyCollector.families, result.samples);
    expect(lines).toContain(`aigateway_key_info{key="a",label="${wanted ?? labelOf()}"} 1`);
    expect(result.concealedLabels).toBe(wanted === undefined ? 0 : 1);
    expect(result.warning).toBe(
      wanted === undefined ? undefined : "its label reveals a secret and is shown as _concealed",
    );
  });
});
