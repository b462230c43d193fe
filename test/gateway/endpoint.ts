/** The operations as faults, switches and the log name them. */
export const endpoints = ["key", "analytics", "transcription", "meta", "keys", "credits"] as const;
export type Endpoint = (typeof endpoints)[number];
