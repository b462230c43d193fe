/** The command that the npm package adds. Its launcher starts another program, so it must be the first argument. */
export const SIMULATE = "simulate";

/** The flags of that command, as Node's `parseArgs` takes them. */
export const SIMULATE_FLAGS = {
  port: { type: "string", default: "8402" },
  dir: { type: "string", default: "aigateway-demo" },
  help: { type: "boolean", default: false },
} as const;
