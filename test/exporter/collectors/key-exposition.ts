import type { KeyConfig } from "../../../exporter/config/config.ts";
import { keySamples } from "../../../exporter/collectors/key.ts";
import { keyFamilies } from "../../../exporter/collectors/key-families.ts";
import { parseKey } from "../../../exporter/gateway/wire/key.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { secretSource } from "../../support/test-config.ts";

/** A Wednesday. */
export const NOON = Date.UTC(2026, 10, 18, 12);

/** `data` of an answer with every field of the contract, 2.7. */
export const CONTRACT_DATA: Readonly<Record<string, unknown>> = {
  label: "sk-sim-v1-0e6...1c9",
  limit: 100,
  limit_reset: "monthly",
  limit_remaining: 74.5,
  include_byok_in_limit: false,
  usage: 1025.75,
  usage_daily: 1.25,
  usage_weekly: 12.5,
  usage_monthly: 25.5,
  byok_usage: 17.38,
  byok_usage_daily: 0.5,
  byok_usage_weekly: 7,
  byok_usage_monthly: 17.25,
  is_free_tier: false,
  rate_limit: { requests: -1, interval: "10s" },
};

export function keyConfig(showLabel = false): KeyConfig {
  const owner = { team: "payments", project: "", costCenter: 'CC "7"' };
  return { name: "billing", secret: secretSource("sk-test"), owner, showLabel };
}

/** The samples of an answer with this `data`. */
export function samplesOf(data: unknown, { showLabel = false, requestedAtMs = NOON } = {}) {
  const information = parseKey({ data }, 'read key "billing"');
  return keySamples(keyConfig(showLabel), information, requestedAtMs);
}

/** Their lines, without the label `key` and the prefix that all of them have. */
export function keyLines(data: unknown, options?: Parameters<typeof samplesOf>[1]): readonly string[] {
  return sampleLines(Object.values(keyFamilies), samplesOf(data, options)).map((line) =>
    line.replace("aigateway_key_", "").replace('{key="billing"}', "").replace('key="billing",', ""),
  );
}

/** The answer of the contract with some fields changed; undefined: the field is missing. */
export function changed(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries({ ...CONTRACT_DATA, ...fields });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** How the lines differ from those of the contract's answer: which are gone and which are new. */
export function changedLines(
  fields: Readonly<Record<string, unknown>>,
  options?: Parameters<typeof samplesOf>[1],
) {
  const [before, after] = [keyLines(CONTRACT_DATA), keyLines(changed(fields), options)];
  return {
    gone: before.filter((line) => !after.includes(line)),
    come: after.filter((line) => !before.includes(line)),
  };
}
