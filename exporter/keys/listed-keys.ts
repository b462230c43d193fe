import type { Config, DiscoveryConfig, NamePattern, Owner } from "../config/config.ts";
import { holdsSecret } from "../secrets/redact.ts";
import type { AccountKey, AccountKeys } from "../gateway/account.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { inParts } from "../time/event-loop.ts";
import { type Names, plainName } from "./key-directory.ts";
import { configuredKeys } from "./watched-keys.ts";

/** A key with its names and the owner in its name, and whether its name reveals a secret. */
export function plainKey(key: AccountKey, { owner }: Pick<DiscoveryConfig, "owner">) {
  const isConcealed = holdsSecret(key.name);
  const label = shownLabel(labelText(key.name));
  const plain = isConcealed ? "" : plainName(key.name);
  return { key, isConcealed, label, owner: ownerOf(key.name, owner), plain };
}

/** The owner that a pattern finds in the name of a key. */
function ownerOf(name: string, pattern: NamePattern | undefined): Owner {
  const groups = pattern?.groupsIn(name) ?? {};
  const group = (label: string) => shownLabel(labelText(groups[label] ?? ""));
  return { team: group("team"), project: group("project"), costCenter: group("cost_center") };
}

/** The keys of a list that `include` and `exclude` let be shown, and whether the list is complete. */
export async function wantedKeys(
  { keys: all, moved, failure, unreadableRows }: AccountKeys,
  discovery: DiscoveryConfig,
) {
  const wanted = await inParts(all, (key) => (isWanted(key.name, discovery) ? [key] : []));
  const keys = wanted.flat();
  return {
    keys,
    excluded: all.length - keys.length,
    isComplete: failure === undefined && !moved && unreadableRows === 0,
  };
}

function isWanted(name: string, { include, exclude }: DiscoveryConfig): boolean {
  const matches = (pattern: NamePattern) => pattern.matches(name);
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches);
}

/** The names of configured keys, which listed ones cannot have. */
export function namesOf(config: Pick<Config, "keys" | "part">): Names {
  const keys = configuredKeys(config);
  const configured = new Map<string, string[]>();
  for (const { name, secret } of keys) {
    const hash = secret.hash?.();
    if (hash !== undefined) configured.set(hash, [...(configured.get(hash) ?? []), name]);
  }
  return { taken: new Set(keys.map(({ name }) => name)), configured };
}
