/** How long something that has a limit lasts. They exclude each other. */
export const OUTLOOKS = [
  "exhausted",
  "imminent",
  "predicted",
  "slow",
  "lasts",
  "unlimited",
  "learning",
  "unknown",
] as const;
export type Outlook = (typeof OUTLOOKS)[number];
