import { Stash } from "@pulumi/pulumi";
import { randomUUID } from "node:crypto";
import { z } from "zod";

/** What the state of a stack keeps from its first `up` to `destroy`. */
export interface Remembered {
  /** Marks the objects of this stack, because another state may have a stack of the same name. */
  readonly id: string;
  /** The cluster of the objects; null if its id could not be read then. */
  readonly cluster: string | null;
}

/** Reads them from the state, or keeps them there from now on. */
export async function remembered(cluster: string | undefined): Promise<Remembered> {
  const input: Remembered = { id: randomUUID().slice(0, 8), cluster: cluster ?? null };
  const { output } = new Stash("deployment", { input }, { ignoreChanges: ["input"] });
  return schema.parse(await new Promise((resolve) => void output.apply(resolve)));
}

const schema = z.object({ id: z.string(), cluster: z.string().nullable() });
