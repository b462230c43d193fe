import type { Judge, World } from "../world.ts";
import { createPresence } from "./presence.ts";
import { createRecovery } from "./recovery.ts";
import { createTruth } from "./truth.ts";

/** Every invariant by its name. */
export const JUDGES: Readonly<Record<string, (world: World) => Judge>> = {
  truth: createTruth,
  presence: createPresence,
  recovery: createRecovery,
};
