import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { families } from "../../dashboards/families.ts";
import { ROOT } from "../support/repository.ts";

test("families are those of docs/metrics.md", () => {
  const text = readFileSync(join(ROOT, "docs", "metrics.md"), "utf8");
  const documented = [...text.matchAll(/^\| ((?:`aigateway_\w+`(?:<br>)?)+) \|/gm)].flatMap(
    ([, names = ""]) => names.split("<br>").map((name) => name.slice(1, -1)),
  );
  expect(documented.length).toBeGreaterThan(50);
  expect(new Set(families.map(({ name }) => name))).toEqual(new Set(documented));
});
