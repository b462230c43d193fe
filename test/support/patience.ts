/**
 * How long a test waits at most for another process. A test that passes waits only as long as it must, so the bound
 * is generous: it is for a process that hangs, not for a busy machine. Shorter than the timeout of a test.
 */
export const PATIENCE_MS = 90_000;
