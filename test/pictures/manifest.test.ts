import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { dashboards } from "../../dashboards/index.ts";
import { ROOT } from "../support/repository.ts";
import { drawnFrom, MANIFEST, readManifest } from "./manifest.ts";

// Without the file, no picture was drawn by this program yet.
test.skipIf(!existsSync(MANIFEST)).each(dashboards.map(({ uid }) => uid))(
  "the pictures of %s are up to date (else run: npm run pictures)",
  (uid) => {
    expect(readManifest()[uid]).toBe(drawnFrom(dashboards)[uid]);
    const name = uid.replace("aigateway-", "dashboard-");
    const files = [`${name}.png`, `${name}-light.png`];
    expect(files.filter((file) => !existsSync(join(ROOT, "docs", "pictures", file)))).toEqual([]);
  },
);

test("a changed title or query changes the digest, a changed description does not", () => {
  const [overview] = dashboards;
  if (!overview) throw new Error("There is no dashboard");
  const digest = (from: string, to: string) =>
    drawnFrom([{ ...overview, json: overview.json.replaceAll(from, to) }])[overview.uid];
  const before = drawnFrom([overview])[overview.uid];
  expect(digest('"title": "Spent today"', '"title": "Spent"')).not.toBe(before);
  expect(digest("aigateway_key_usage_day_credits", "aigateway_key_usage_week_credits")).not.toBe(before);
  expect(digest('"description": "', '"description": "Other. ')).toBe(before);
});
