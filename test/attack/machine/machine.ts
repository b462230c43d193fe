import type { AttackedExporter } from "../attacked-exporter.ts";
import type { Setting } from "../setting.ts";

/** The machine as an attack of the disk or by signals sees it. */
export interface Machine {
  readonly setting: Setting;
  readonly exporter: () => AttackedExporter;
  readonly random: () => number;
  /** Aborted when the attack ends. The attack then restores what it changed. */
  readonly signal: AbortSignal;
  readonly struck: (seen: string) => void;
  /** Something got in that must not. */
  readonly breach: (text: string) => void;
}

export type MachineAttack = (machine: Machine) => Promise<void>;

/** Waits, but no longer than the attack lasts. */
export function rest({ signal }: Pick<Machine, "signal">, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
    if (signal.aborted) resolve();
  });
}

export function ended(machine: Pick<Machine, "signal">): Promise<void> {
  return rest(machine, 2 ** 31 - 1);
}
