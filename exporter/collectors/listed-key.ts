import type { Owner } from "../config/config.ts";
import { type Sample, sample, seconds } from "../metrics/family.ts";
import { targetId } from "../readings/target-id.ts";
import type { Member } from "../schedule/job.ts";
import { discoveryFamilies } from "./discovery-families.ts";
import { keyFamilies } from "./key-families.ts";
import { keyReading, keySamples } from "./key.ts";
import type { NamedKey } from "./key-directory.ts";
import { labelText, shownLabel } from "./label-text.ts";

export interface Listing {
  readonly workspace: string;
  /** Finds the owner in the name of a key. */
  readonly owner: RegExp | undefined;
  readonly askedAtMs: number;
}

/** The targets of a key. The label of a name that reveals a secret is `_concealed`. */
export function listedMembers(named: NamedKey, listing: Listing): readonly Member[] {
  const label = shownLabel(labelText(named.key.name));
  return named.isConfigured ? configuredKey(named, label, listing) : [listedKey(named, label, listing)];
}

/** A key that nothing else shows. Whether its secret works is not known. */
function listedKey({ key, name }: NamedKey, apiKey: string, listing: Listing): Member {
  const { askedAtMs } = listing;
  const owner = ownerOf(key.name, listing.owner);
  const about = infoSamples({ key, name, isConfigured: false }, apiKey, listing);
  return {
    id: targetId("listed", key.hash),
    name,
    value: keyReading(key.information, askedAtMs),
    samples: () => [
      ...keySamples({ name, showLabel: false }, key.information, askedAtMs),
      ...sample(discoveryFamilies.disabled, { key: name }, key.disabled),
    ],
    describe: description(about, name, owner),
  };
}

/** A key that is polled: what the poll cannot show, and what it does not show while it fails. */
function configuredKey(named: NamedKey, apiKey: string, listing: Listing): readonly Member[] {
  const { key, name } = named;
  const { askedAtMs } = listing;
  const about = infoSamples(named, apiKey, listing);
  const beside: Member = {
    id: targetId("listed", key.hash),
    name,
    value: undefined,
    samples: () => sample(discoveryFamilies.disabled, { key: name }, key.disabled),
    describe: description(about),
  };
  const behind: Member = {
    id: targetId("behind", key.hash),
    name,
    behind: targetId("key", name),
    value: undefined,
    samples: () => keySamples({ name, showLabel: false }, key.information, askedAtMs),
    describe: description([]),
  };
  return [beside, behind];
}

function infoSamples({ key, name, isConfigured }: NamedKey, apiKey: string, { workspace }: Listing) {
  return sample(
    discoveryFamilies.info,
    {
      key: name,
      api_key: apiKey,
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

function ownerOf(name: string, pattern: RegExp | undefined): Owner {
  const groups = pattern?.exec(name.slice(0, 256))?.groups ?? {};
  const group = (label: string) => (groups[label] === undefined ? "" : shownLabel(labelText(groups[label])));
  return { team: group("team"), project: group("project"), costCenter: group("cost_center") };
}
