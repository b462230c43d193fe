import { expect } from "vitest";

import type { FaultRow } from "./fault-row.ts";
import { type FaultStage, startFaultStage } from "./fault-stage.ts";
import { expectShown, rightFor } from "./fault-story.ts";
import { type FieldCase, fieldCases } from "./field-cases.ts";
import { KEY, QUERY, type Subject } from "./subjects.ts";

const INTERVAL = 60_000;

/** The fields of each side are wrong in turn for one interval each, followed by a correct answer. */
export async function fieldStory(): Promise<readonly FaultRow[]> {
  const stage = await startFaultStage({});
  await stage.runTo(stage.clock.now() + INTERVAL);
  await expectShown(stage, rightFor(1));
  for (const wrong of fieldCases) {
    await expectOutcomes(stage, wrong);
    stage.gateway.fault = undefined;
    stage.gateway.revision += 1;
    await stage.runTo(stage.clock.now() + INTERVAL);
    await expectShown(stage, rightFor(stage.gateway.revision));
  }
  return rowsOf(fieldCases.flat());
}

async function expectOutcomes(stage: FaultStage, wrong: readonly FieldCase[]): Promise<void> {
  const { gateway } = stage;
  gateway.revision += 1;
  gateway.fault = (exchange) => {
    const hit = wrong.find(({ collector }) => collector === exchange.collector);
    if (hit) hit.fault(exchange);
    else exchange.response.end(JSON.stringify(exchange.right));
  };
  const linesBefore = [KEY, QUERY].map(({ target }) => stage.logged(target).length);
  await stage.runTo(stage.clock.now() + INTERVAL);

  const right = rightFor(gateway.revision);
  const of = (subject: Subject) => {
    const outcome = wrong.find(({ collector }) => collector === subject.collector)?.outcome;
    const values = subject.right(gateway.revision);
    if (!outcome) return new Map(values).set(subject.up, 1);
    if ("shown" in outcome) return new Map(outcome.shown(values)).set(subject.up, 1);
    return new Map(subject.right(gateway.revision - 1)).set(subject.up, 0);
  };
  await expectShown(stage, { ...right, faultyKey: of(KEY), faultyQuery: of(QUERY) });

  for (const [index, subject] of [KEY, QUERY].entries()) {
    const hit = wrong.find(({ collector }) => collector === subject.collector);
    const lines = stage.logged(subject.target).slice(linesBefore[index]);
    if (!hit || ("shown" in hit.outcome && !hit.outcome.isPartial)) expect(lines).toEqual([]);
    else expectComplaint(lines.map(({ message }) => message).join("\n"), hit);
  }
}

/** The path and the rule, without the value, which may be anything. */
function expectComplaint(said: string, { field }: FieldCase): void {
  expect(said).toMatch(
    new RegExp(`: (data\\.)?[\\w.]*${field.split(".").at(-1)}[\\w.]*: Invalid input: expected [a-z ]+`),
  );
  expect(said).not.toContain("wrong");
}

/** Fields with the same outcome are one row. */
function rowsOf(cases: readonly FieldCase[]): readonly FaultRow[] {
  const fields = new Map<string, Set<string>>();
  const rows = new Map<string, FaultRow>();
  for (const { collector, field, outcome, note } of cases) {
    const identity = JSON.stringify([collector, note]);
    const names = (fields.get(identity) ?? new Set()).add(`\`${field}\``);
    fields.set(identity, names);
    const isRefused = "reason" in outcome;
    const said = isRefused ? `\`${outcome.reason}\`` : "taken";
    rows.set(identity, [
      `a wrong type in ${[...names].join(", ")}`,
      collector === "key" ? said : "–",
      collector === "analytics" ? said : "–",
      note,
      isRefused ? `✕ Failing ${outcome.reason}` : "● Up",
      isRefused || outcome.isPartial ? "warn: the field: Invalid input: expected …" : "nothing",
    ]);
  }
  return [...rows.values()];
}
