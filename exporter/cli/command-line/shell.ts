import { UsageError } from "./usage-error.ts";

/** The shells that have a completion. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** @throws UsageError */
export function shellNamed(name: string | undefined): Shell {
  const found = SHELLS.find((each) => each === name);
  if (found !== undefined) return found;
  throw new UsageError(`The command completion needs the name of a shell: ${SHELLS.join(", ")}`);
}
