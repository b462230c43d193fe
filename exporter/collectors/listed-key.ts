import type { KeyConfig, Owner } from "../config/config.ts";
import { type Sample, sample, seconds } from "../metrics/family.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { targetId } from "../readings/target-id.ts";
import type { DiscoveredTarget } from "../schedule/job.ts";
import { discoveryFamilies } from "./discovery-families.ts";
import { keyFamilies } from "./key-families.ts";
import { keyReading, keySamples, limitSourceSamples } from "./key.ts";
import type { NamedKey } from "../keys/key-directory.ts";
import { layerSamples, layersOf } from "./key-layers.ts";
import { lowerLimit, mirroredLayer } from "../keys/mirrored-limit.ts";
import type { AccountKey } from "../gateway/account.ts";
import { DAY_MS } from "../time/window.ts";

export interface Listing {
  readonly workspace: string;
  readonly requestedAtMs: number;
  readonly balanceCredits: number | undefined;
  /** Those of the configuration, by name. */
  readonly configured: ReadonlyMap<string, Pick<KeyConfig, "limit" | "owner">>;
  /** The names of the configured keys that other shards poll. */
  readonly elsewhere: ReadonlySet<string>;
}

/** The targets of a key. */
export function listedTargets(named: NamedKey, listing: Listing): readonly DiscoveredTarget[] {
  return named.isConfigured ? configuredKey(named, listing) : [listedKey(named, listing)];
}

/** A key that nothing else shows. Whether its secret works is not known. */
function listedKey(named: NamedKey, listing: Listing): DiscoveredTarget {
  const { key, name, owner } = named;
  const { requestedAtMs } = listing;
  const about = infoSamples(named, listing);
  return {
    id: targetId("listed", key.hash),
    name,
    value: {
      ...keyReading(key.information, requestedAtMs, { shownAs: { name, team: owner.team, hash: key.hash } }),
      ...(key.disabled === true && { isDisabled: true }),
    },
    samples: () => [
      ...keySamples({ name, showLabel: false }, key.information, requestedAtMs),
      ...layerSamples(name, layersOf(key.information, undefined, requestedAtMs), listing.balanceCredits),
      ...stateSamples(named, listing),
    ],
    describe: description(about, name, owner),
  };
}

/** A key that is polled: what the poll cannot show, and what it does not show while it fails. */
function configuredKey(named: NamedKey, listing: Listing): readonly DiscoveredTarget[] {
  const { key, name, isTwin } = named;
  const { requestedAtMs } = listing;
  const about = infoSamples(named, listing);
  const beside: DiscoveredTarget = {
    id: targetId("listed", isTwin ? `${key.hash}/${name}` : key.hash),
    name,
    value: undefined,
    samples: () => stateSamples(named, listing),
    describe: description(about),
  };
  // Nothing is known here about the polls of another shard.
  if (listing.elsewhere.has(name)) return [beside];
  const { limit, owner } = listing.configured.get(name) ?? {};
  const limited = lowerLimit(key.information, limit);
  const layers = layersOf(key.information, limit && mirroredLayer(key.information, limit), requestedAtMs);
  const behind: DiscoveredTarget = {
    id: targetId("behind", name),
    name,
    behind: targetId("key", name),
    // For the status page only: budgets count what the poll reports.
    value: keyReading(limited.information, requestedAtMs, {
      shownAs: { name, team: owner?.team, hash: key.hash },
      isLimitMirrored: limited.source === "mirrored",
      layers,
    }),
    samples: () => [
      ...keySamples({ name, showLabel: false }, limited.information, requestedAtMs),
      ...limitSourceSamples(name, limited),
      ...layerSamples(name, layers, listing.balanceCredits),
    ],
    describe: description([]),
  };
  return [beside, behind];
}

/** What only a list shows. */
function stateSamples({ name, key }: NamedKey, { requestedAtMs }: Listing): readonly Sample[] {
  return [
    ...sample(discoveryFamilies.disabled, { key: name }, key.disabled),
    ...sample(discoveryFamilies.lastUsed, { key: name }, seconds(key.lastUsedAtMs ?? undefined)),
    ...keyFindings(key, requestedAtMs).flatMap((finding) =>
      sample(discoveryFamilies.finding, { key: name, finding }, 1),
    ),
  ];
}

function infoSamples({ key, name, label, isConfigured }: NamedKey, { workspace }: Listing) {
  return sample(
    discoveryFamilies.info,
    {
      key: name,
      api_key: label,
      hash: key.hash.slice(0, 8),
      workspace: key.workspaceName === undefined ? workspace : shownLabel(labelText(key.workspaceName)),
      source: isConfigured ? "poll" : "listing",
    },
    1,
  );
}

/** A function of its own, because what it can reach is kept as long as the target. */
function description(about: readonly Sample[], key?: string, owner?: Owner): DiscoveredTarget["describe"] {
  if (key === undefined || !owner) return () => about;
  const { team, project, costCenter } = owner;
  const constants = [
    ...about,
    ...sample(keyFamilies.ownerInfo, { key, team, project, cost_center: costCenter }, 1),
    ...sample(keyFamilies.info, { key, label: "" }, 1),
  ];
  return (state) => [
    ...constants,
    ...sample(keyFamilies.up, { key }, state.up),
    ...sample(keyFamilies.lastSuccess, { key }, seconds(state.lastSuccessMs)),
  ];
}

/** What makes a listed key more dangerous than it must be, should it leak. */
export type KeyFinding = "no_limit" | "no_expiry" | "unused";

/** The findings of a key at an instant; none for a disabled key, nor where the service does not send what is needed. */
function keyFindings(key: AccountKey, nowMs: number): readonly KeyFinding[] {
  if (key.disabled === true) return [];
  return [
    ...(key.information.limitCredits === null ? (["no_limit"] as const) : []),
    ...(key.neverExpires ? (["no_expiry"] as const) : []),
    ...(nowMs - idleSince(key) > UNUSED_MS ? (["unused"] as const) : []),
  ];
}

const UNUSED_MS = 90 * DAY_MS;

/** NaN: unknown. */
function idleSince({ lastUsedAtMs, createdAtMs }: AccountKey): number {
  return lastUsedAtMs === null
    ? Math.max(createdAtMs ?? Number.NaN, COUNTED_SINCE)
    : (lastUsedAtMs ?? Number.NaN);
}

/** The service knows no use before (vendor-2026-10, 3). */
const COUNTED_SINCE = Date.UTC(2026, 0, 1);
