import { createKeyDirectory } from "../keys/key-directory.ts";
import { namesOf, plainKey, wantedKeys } from "../keys/listed-keys.ts";
import type { Config, KeyConfig, Owner } from "../config/config.ts";
import type { AccountKey } from "../gateway/account.ts";
import type { ReportGateway } from "./report.ts";

/** A key that is configured, or listed by the gateway. */
export interface KnownKey {
  readonly hash: string;
  /** The label `key` of the metrics. */
  readonly name: string;
  readonly owner: Owner;
  readonly listed: AccountKey | undefined;
  readonly configured: KeyConfig | undefined;
}

export interface KnownKeys {
  /** Several have the same hash if their secret is configured under several names. */
  readonly keys: readonly KnownKey[];
  /** Keys that are missing, and why. */
  readonly problems: readonly KeyProblem[];
}

/** A workspace whose list is incomplete, or a configured key whose secret cannot be read. */
export type KeyProblem = { readonly workspace: string } | { readonly key: string };

/** The keys that the exporter watches, with one request for each hundred listed ones. @throws GatewayError */
export async function knownKeys(
  config: Pick<Config, "keys" | "discovery">,
  gateway: Pick<ReportGateway, "accountKeys">,
): Promise<KnownKeys> {
  const { listed, problems } = await listedKeys(config, gateway);
  const own: KnownKey[] = [];
  for (const configured of config.keys) {
    const { name, secret, owner } = configured;
    const hash = secret.hash?.();
    if (hash === undefined) problems.push({ key: name });
    else own.push({ hash, name, owner, listed: listed.get(hash)?.listed, configured });
  }
  const hashes = new Set(own.map(({ hash }) => hash));
  return { keys: [...[...listed.values()].filter(({ hash }) => !hashes.has(hash)), ...own], problems };
}

async function listedKeys(
  config: Pick<Config, "keys" | "discovery">,
  gateway: Pick<ReportGateway, "accountKeys">,
) {
  const listed = new Map<string, KnownKey>();
  const problems: KeyProblem[] = [];
  const { discovery } = config;
  if (!discovery) return { listed, problems };
  const directory = createKeyDirectory();
  for (const workspace of discovery.workspaces) {
    const title = workspace ?? "default";
    const { keys, isComplete } = await wantedKeys(await gateway.accountKeys(workspace), discovery);
    const plain = keys.map((key) => plainKey(key, discovery));
    for (const { key, name, owner } of directory.named(title, plain, namesOf(config), isComplete)) {
      listed.set(key.hash, { hash: key.hash, name, owner, listed: key, configured: undefined });
    }
    if (!isComplete) problems.push({ workspace: title });
  }
  return { listed, problems };
}
