import { clientAttacks } from "./client/attacks.ts";
import { reloadAttacks } from "./client/request-attacks.ts";
import { gatewayKinds } from "./gateway/kinds.ts";
import { machineAttacks } from "./machine/attacks.ts";

/** What is attacked at once: each lane has one attack at a time. */
export const LANES = ["keys", "analytics", "clients", "machine"] as const;
export type Lane = (typeof LANES)[number];

/** An attack. */
export interface Kind {
  readonly name: string;
  readonly lane: Lane;
  /** Which program attacks. */
  readonly actor: "gateway" | "client" | "machine";
}

/** Every attack. Reloads have one lane, so that one that gets in is noticed. */
export const KINDS: readonly Kind[] = [
  ...gatewayKinds.flatMap(({ name, lanes }) => lanes.map((lane): Kind => ({ name, lane, actor: "gateway" }))),
  ...[...clientAttacks.keys()].map((name): Kind => ({
    name,
    lane: name in reloadAttacks ? "machine" : "clients",
    actor: "client",
  })),
  ...[...machineAttacks.keys()].map((name): Kind => ({ name, lane: "machine", actor: "machine" })),
];

/** The attacks whose name contains one of the texts; all without a text. */
export function kindsLike(texts: readonly string[]): readonly Kind[] {
  if (texts.length === 0) return KINDS;
  return KINDS.filter(({ name }) => texts.some((text) => name.includes(text)));
}

/** Attacks under which the process must end on SIGTERM. */
export const ENDINGS: readonly (readonly string[])[] = [
  ["no answer", "600 connections that send nothing"],
  ["key files are FIFOs", "60 readers that do not read their metrics"],
  ["a log that nobody reads", "an error that changes each time"],
  ["a configuration that is a FIFO and SIGHUP", "300 connections that send their headers slowly"],
  ["16 MB in chunks of one byte", "32 loops of wrong passwords"],
];
