import type { Gateway } from "../gateway/gateway.ts";
import type { Spend } from "../gateway/spend.ts";

/** Titles that anyone may choose for an app, and a few of our own reserved words. */
const APPS = [
  null,
  "",
  "_none",
  "_other",
  'He said "hi"',
  "C:\\new\\table",
  "Two\nlines",
  "Tab\tand\rreturn\u0000",
  " padded ",
  "half \ud800 of a pair",
  '"} 1\nfake_metric 1',
  "# EOF",
  "\\n",
  "\u2028\u202e\ufeff",
  "日本語 🚀",
  "Twin",
  // Longer ones are cut (test/exporter/collectors/label-text.test.ts).
  "x".repeat(1024),
] as const;

const MODELS = ["acme/one", "_other", 'acme/"two"', "_none"] as const;

/**
 * A spend for each hostile title at the gateway's time, with amounts that binary fractions cannot represent. Some pairs are
 * twins: two apps with one title, two models with one name.
 */
export function hostileSpends(gateway: Gateway): readonly Spend[] {
  const { world } = gateway;
  const twins = [...world.apps.values()].filter(({ title }) => title === "Twin");
  while (twins.length < 2) twins.push(world.addApp("Twin"));
  for (const id of ["acme/first", "acme/second"]) if (!world.models.has(id)) world.addModel(id, "Acme: Same");
  const minute = Math.floor(gateway.clock.now() / 60_000) % 1000;
  const figures = (index: number) => ({
    key: "web",
    micros: 1_234_567 + 100_003 * index + minute,
    byokMicros: 7 * index,
    requests: 1 + (index % 3),
    promptTokens: 900 + index,
    completionTokens: 17 * index,
    reasoningTokens: index % 4,
    force: true,
  });
  return [
    ...APPS.map((app, index) => ({ ...figures(index), model: MODELS[index % MODELS.length] ?? "", app })),
    ...twins.map(({ id }, index) => ({ ...figures(index), model: "acme/one", app: id })),
    ...["acme/first", "acme/second"].map((model, index) => ({ ...figures(index), model, app: "Chat" })),
    // A refund, and a pair with our own name of the remainder and the highest amount.
    { ...figures(0), model: "acme/one", app: "Chat", micros: -1, requests: 0 },
    { ...figures(0), model: "_other", app: "_other", micros: 70_000_001 },
  ];
}
