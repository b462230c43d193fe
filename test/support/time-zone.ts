import { expect, onTestFinished } from "vitest";

/** Offset of each zone in November, minutes west of UTC. */
const OFFSETS = { UTC: 0, "America/Los_Angeles": 480, "Asia/Kathmandu": -345 } as const;

export type Zone = keyof typeof OFFSETS;

export const ZONES: readonly Zone[] = ["UTC", "America/Los_Angeles", "Asia/Kathmandu"];

/** Sets the local time zone until the test has finished, and checks that JavaScript uses it. */
export function moveTo(zone: Zone): void {
  const before = process.env["TZ"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  });
  process.env["TZ"] = zone;
  expect(new Date("2026-11-18T12:00:00Z").getTimezoneOffset()).toBe(OFFSETS[zone]);
}
