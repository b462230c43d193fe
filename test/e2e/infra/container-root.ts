import { fileURLToPath } from "node:url";

/**
 * The path of the module that gives a process the files of its container: node loads it first, and every path below a mount leads
 * into the real folder. The configuration then has the same bytes as in the cluster.
 */
export const CONTAINER_ROOT = fileURLToPath(new URL("container-root-preload.ts", import.meta.url));

/** The variable with the mounts: real paths by path in the container, as JSON. */
export const MOUNTS_VARIABLE = "TEST_MOUNTS";
