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

/** How soon the credits end, as a number that alerts compare. Of `learning`, only if little of the limit is left. */
export const URGENCY: Readonly<Record<Outlook, number>> = {
  exhausted: 5,
  imminent: 4,
  predicted: 3,
  slow: 2,
  learning: 1,
  lasts: 0,
  unlimited: 0,
  unknown: 0,
};
