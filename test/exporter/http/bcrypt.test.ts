import { expect, onTestFinished, test } from "vitest";

import { createBcrypt } from "../../../exporter/http/bcrypt.ts";
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
    expect(await bcrypt.compare("pässword ∞", [hash])).toBe(true);
    expect(await bcrypt.compare("password ∞", [hash])).toBe(false);
    expect(await bcrypt.compare("", [hash])).toBe(false);
  },
);

test("compare() ignores whether a further hash matches", async () => {
  const bcrypt = start();
  const [one, other] = [hashedPassword("one"), hashedPassword("other")];
  expect(await bcrypt.compare("other", [one, other])).toBe(false);
  expect(await bcrypt.compare("one", [one, other])).toBe(true);
});

test("stop() rejects the comparison that runs", async () => {
  const bcrypt = start();
  const waiting = bcrypt.compare("secret", [hashedPassword("secret").replace("$04", "$15")]);
  const [refused] = await Promise.allSettled([waiting, bcrypt.stop()]);
  expect(refused).toMatchObject({ status: "rejected", reason: new Error("The exporter is stopping") });
});
