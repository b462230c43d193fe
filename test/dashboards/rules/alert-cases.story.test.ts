import { expect, test } from "vitest";
import { createRules } from "../../../dashboards/rules/index.ts";
import { describeWithTools } from "../../support/tools.ts";
import { caseStories } from "./cases/index.ts";
import { testStories } from "./story.ts";

describeWithTools(["promtool3"], "alerts fire at the expected minute", ({ promtool3 }) =>
  testStories(promtool3, caseStories),
);

/** They fire in week.story and exporter-down.story. */
const ELSEWHERE = [
  "AIGatewayKeySpendAnomaly",
  "AIGatewayProbeSlow",
  "AIGatewayProbeQualityDropped",
  "AIGatewayExporterDown",
];

test("every alert has a case in which it fires", () => {
  const samples = caseStories.flatMap((story) => story.expect).flatMap((expectation) => expectation.samples);
  const fired = samples.map(({ labels }) => labels).join();
  const alerts = createRules().flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(alerts.filter((alert) => !fired.includes(`"${alert}"`))).toEqual(ELSEWHERE);
});
