import type { KeyLimit, Owner } from "../config/config.ts";
import { type Sample, sample, seconds } from "../metrics/family.ts";
import { targetId } from "../readings/target-id.ts";
import type { Member } from "../schedule/job.ts";
import { discoveryFamilies } from "./discovery-families.ts";
import { keyFamilies } from "./key-families.ts";
import { keyReading, keySamples, limitSourceSamples } from "./key.ts";
import type { NamedKey } from "./key-directory.ts";
import { lowerLimit } from "./mirrored-limit.ts";

export interface Listing {
  readonly workspace: string;
  readonly askedAtMs: number;
  /** The limits that the configuration mirrors, by the name of the key. */
  readonly limits: ReadonlyMap<string, KeyLimit>;
  /** The names of the configured keys that other shards poll. */
  readonly elsewhere: ReadonlySet<string>;
}

/** The targets of a key. */
export function listedMembers(named: NamedKey, listing: Listing): readonly Member[] {
  return named.isConfigured ? configuredKey(named, listing) : [listedKey(named, listing)];
}

/** A key that nothing else shows. Whether its secret works is not known. */
function listedKey(named: NamedKey, listing: Listing): Member {
  const { key, name, owner } = named;
  const { askedAtMs } = listing;
  const about = infoSamples(named, listing);
  return {
    id: targetId("listed", key.hash),
    name,
    value: {
      ...keyReading(key.information, askedAtMs),
      ...(key.disabled === true && { isDisabled: true }),
    },
    samples: () => [
      ...keySamples({ name, showLabel: false }, key.information, askedAtMs),
      ...sample(discoveryFamilies.disabled, { key: name }, key.disabled),
    ],
    describe: description(about, name, owner),
  };
}

/** A key that is polled: what the poll cannot show, and what it does not show while it fails. */
function configuredKey(named: NamedKey, listing: Listing): readonly Member[] {
  const { key, name, isTwin } = named;
  const { askedAtMs } = listing;
  const about = infoSamples(named, listing);
  const beside: Member = {
    id: targetId("listed", isTwin ? `${key.hash}/${name}` : key.hash),
    name,
    // The other shard shows what the key spends; here, only the unwatched spend needs it.
    value: !isTwin && listing.elsewhere.has(name) ? keyReading(key.information, askedAtMs) : undefined,
    samples: () => sample(discoveryFamilies.disabled, { key: name }, key.disabled),
    describe: description(about),
  };
  // Nothing is known here about the polls of another shard.
  if (listing.elsewhere.has(name)) return [beside];
  const limited = lowerLimit(key.information, listing.limits.get(name));
  const behind: Member = {
    id: targetId("behind", name),
    name,
    behind: targetId("key", name),
    // For the status page only: budgets count what the poll reports, and the unwatched spend knows the key by its poll.
    value: keyReading(limited.information, askedAtMs, limited.source === "mirrored"),
    samples: () => [
      ...keySamples({ name, showLabel: false }, limited.information, askedAtMs),
      ...limitSourceSamples(name, limited),
    ],
    describe: description([]),
  };
  return [beside, behind];
}

function infoSamples({ key, name, label, isConfigured }: NamedKey, { workspace }: Listing) {
  return sample(
    discoveryFamilies.info,
    {
      key: name,
      api_key: label,
      hash: key.hash.slice(0, 8),
      workspace,
      source: isConfigured ? "poll" : "listing",
    },
    1,
  );
}

/** A function of its own, because what it can reach is kept as long as the member. */
function description(about: readonly Sample[], key?: string, owner?: Owner): Member["describe"] {
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
