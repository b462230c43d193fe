import { expect, onTestFinished, test } from "vitest";

import { createBcrypt, TooManyComparisonsError } from "../../../exporter/http/bcrypt.ts";
import { hashedPassword } from "../../support/hashed-password.ts";

function start() {
  const bcrypt = createBcrypt();
  onTestFinished(() => bcrypt.stop());
  return bcrypt;
}

test.each(["$2a", "$2b", "$2y"])(
  "compare() accepts only the correct password for a %s hash",
  async (kind) => {
    const bcrypt = start();
    const hash = hashedPassword("pässword ∞").replace("$2b", kind);
    expect(await bcrypt.compare("pässword ∞", hash)).toBe(true);
    expect(await bcrypt.compare("password ∞", hash)).toBe(false);
    expect(await bcrypt.compare("", hash)).toBe(false);
  },
);

test("compare() queues up to 16 comparisons and refuses the rest", async () => {
  const bcrypt = start();
  const hash = hashedPassword("secret");
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => bcrypt.compare("secret", hash)));
  expect(outcomes.filter((outcome) => outcome.status === "fulfilled" && outcome.value)).toHaveLength(16);
  const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(refused).toHaveLength(4);
  for (const reason of refused) expect(reason).toBeInstanceOf(TooManyComparisonsError);
  expect(await bcrypt.compare("secret", hash)).toBe(true);
});

test("stop() rejects the comparisons that are waiting", async () => {
  const bcrypt = start();
  const waiting = bcrypt.compare("secret", hashedPassword("secret").replace("$04", "$15"));
  const [refused] = await Promise.allSettled([waiting, bcrypt.stop()]);
  expect(refused).toMatchObject({ status: "rejected", reason: new Error("The exporter is stopping") });
});
