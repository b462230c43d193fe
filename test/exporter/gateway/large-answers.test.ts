import { expect, test } from "vitest";
import { createLargeAnswers } from "../../../exporter/gateway/large-answers.ts";

test("createLargeAnswers gives turns in the order of asking, one in each round of the event loop", async () => {
  const turn = createLargeAnswers();
  const events: string[] = [];
  const round = (count: number): void => {
    events.push(`round ${count}`);
    if (count < 3) setImmediate(round, count + 1);
  };
  setImmediate(round, 1);
  await Promise.all(["a", "b", "c"].map((name) => turn().then(() => events.push(name))));
  expect(events).toEqual(["round 1", "a", "round 2", "b", "round 3", "c"]);
});
