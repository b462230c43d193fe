/** Why the simulated gateway cannot start, and what to do. */
export function startProblem(error: unknown, port: number): string {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `Cannot listen on 127.0.0.1:${port}: the port is in use. Stop the program that uses it, or choose another port with --port`;
  }
  return `Cannot start the simulated gateway: ${messageOf(error)}`;
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
