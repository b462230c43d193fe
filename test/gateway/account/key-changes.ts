import type { Guardrail, InFlightReason, Key } from "../entities.ts";
import type { Reset } from "../windows.ts";
import type { World } from "../world.ts";

export type KeyChanges = ReturnType<typeof createKeyChanges>;

/** The life of a key after its creation. `key` is its name in the simulation, which never changes. */
export function createKeyChanges(world: World, now: () => number) {
  const change = (name: string, apply: (key: Key) => void): void => {
    const key = world.key(name);
    if (key.deletedAt !== null) throw new Error(`Cannot change key "${name}": it is deleted`);
    apply(key);
    key.updatedAt = now();
  };
  return {
    setLimit: (key: string, micros: number | null, reset?: Reset | null): void =>
      change(key, (found) => {
        found.limitMicros = micros;
        if (reset !== undefined) found.limitReset = reset;
      }),
    disable: (key: string): void => change(key, (found) => void (found.disabled = true)),
    enable: (key: string): void => change(key, (found) => void (found.disabled = false)),
    /** Another name on the gateway; the rows of analytics show it for the past as well. */
    rename: (key: string, title: string): void => change(key, (found) => void (found.title = title)),
    setExpiry: (key: string, at: number | null): void => change(key, (found) => void (found.expiresAt = at)),
    /** A deleted key is refused, not listed, and its hash is unknown. Its spend remains. */
    remove: (key: string): void => change(key, (found) => void (found.deletedAt = now())),
    setGuardrail: (key: string, guardrail: Guardrail | null): void =>
      change(key, (found) => void (found.guardrail = guardrail)),
    /** Refuses calls although credits are left; null admits them again. */
    holdInFlight: (key: string, reason: InFlightReason | null): void =>
      change(key, (found) => void (found.inFlightReason = reason)),
  };
}
