import { audioAttacks, keyFileAttacks, reloadFileAttacks } from "./disk-attacks.ts";
import type { MachineAttack } from "./machine.ts";
import { signalAttacks } from "./signal-attacks.ts";

/** Every attack by the disk or by signals, by name. */
export const machineAttacks: ReadonlyMap<string, MachineAttack> = new Map(
  Object.entries({ ...keyFileAttacks, ...audioAttacks, ...reloadFileAttacks, ...signalAttacks }),
);
