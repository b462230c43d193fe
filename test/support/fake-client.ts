import { NOT_ANSWERED, outcomeOf } from "../../exporter/gateway/calls.ts";
import { GatewayError } from "../../exporter/gateway/errors.ts";
import {
  type Caller,
  type GatewayClient,
  NO_AMOUNTS,
  type Transcription,
  type Usage,
  type UsageQuestion,
} from "../../exporter/gateway/port.ts";
import { createGatewayClient, createMemory } from "../../exporter/gateway/gateway.ts";
import type { Job, Result } from "../../exporter/schedule/job.ts";
import { WHOLE_ANSWER } from "../../exporter/gateway/usage.ts";
import type { KeyInformation } from "../../exporter/gateway/account.ts";

/** The client's answers; an operation without an answer fails. */
export interface FakeAnswers {
  readonly key?: KeyInformation;
  readonly usage?: Usage;
  readonly transcription?: Transcription;
}

/** A client without answers: the adapter, no call of which is answered. */
export const NO_ANSWERS: GatewayClient = createGatewayClient(
  "test",
  () => () => Promise.reject(new Error("Cannot answer: the test gives no answer")),
  createMemory(),
);

/** A client that returns fixed values and records its calls. */
export function createFakeClient(answers: FakeAnswers) {
  const questions: UsageQuestion[] = [];
  const calls = { currentKey: 0, usage: 0, transcribe: 0 };
  const client: GatewayClient = {
    ...NO_ANSWERS,
    currentKey: async () => {
      calls.currentKey += 1;
      return given("currentKey", answers.key);
    },
    usage: async (question) => {
      calls.usage += 1;
      questions.push(question);
      return given("usage", answers.usage);
    },
    transcribe: async () => {
      calls.transcribe += 1;
      return given("transcribe", answers.transcription);
    },
  };
  return { client, questions, calls };
}

/** Asks with a permit and reports the outcome, as the adapter does. */
export async function askWithPermit<Answer>(
  { permits, signal }: Caller,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const permit = await permits.next(signal, "request");
  let outcome = NOT_ANSWERED;
  try {
    const body = await ask();
    outcome = outcomeOf({ body });
    return body;
  } catch (error) {
    if (error instanceof GatewayError) outcome = outcomeOf(error);
    throw error;
  } finally {
    permit.release(outcome);
  }
}

/** The result of a run that sends requests. */
export async function resultOf(job: Job, client: GatewayClient, requestedAtMs: number): Promise<Result> {
  const result = await job.run(client, requestedAtMs);
  if (!result) throw new Error(`Expected a result: ${job.title} did not ask`);
  return result;
}

function given<T>(operation: string, answer: T | undefined): T {
  if (answer === undefined) throw new Error(`Cannot answer ${operation}: the test gives no answer`);
  return answer;
}

/** Usage without pairs; the total is not requested. */
export const NO_USAGE: Usage = {
  pairs: [],
  total: undefined,
  creditsSource: "credits",
  rows: 0,
  ...WHOLE_ANSWER,
};

/** A pair, or the amounts of a total, with only these values. */
export function amountsOf(
  amounts: Partial<Usage["pairs"][number]["amounts"]>,
): Usage["pairs"][number]["amounts"] {
  return { ...NO_AMOUNTS, ...amounts };
}
