/** The operations as faults, switches and the log name them. */
export const endpoints = [
  "key",
  "analytics",
  "transcription",
  "meta",
  "keys",
  "workspaces",
  "credits",
] as const;
export type Endpoint = (typeof endpoints)[number];
