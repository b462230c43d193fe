import type { AttackedExporter } from "./attacked-exporter.ts";
import type { Judge } from "./judge.ts";
import type { Kind } from "./kind.ts";
import type { ProgramOrder } from "./messages.ts";
import type { AttackResult } from "./result.ts";
import type { Setting } from "./setting.ts";

export interface AttackOptions {
  readonly lengthMs: number;
  readonly seed: number;
  readonly kinds?: readonly Kind[];
  /** One attack at a time, so that what happens is due to it. */
  readonly isAlone?: boolean;
  /** The folder that holds `exporter/`; by default this repository. */
  readonly app?: string;
  readonly onProgress?: (text: string) => void;
}

/** What the parts of a run share. */
export interface Stage {
  readonly options: AttackOptions;
  readonly result: AttackResult;
  readonly judge: Judge;
  readonly setting: Setting;
  readonly random: () => number;
  exporter: AttackedExporter;
  /** Sends an order to all programs. */
  readonly order: (order: ProgramOrder) => void;
  /** Ends the present exporter, if it still runs, and starts another one. */
  readonly restart: () => Promise<void>;
  readonly isRestarting: () => boolean;
}
