import { capabilitiesAnswers, listingAnswers } from "./account-answers.ts";
import { analyticsAnswers, jsonAnswers, keyAnswers, transcriptAnswers } from "./body-answers.ts";
import { combined } from "./combined-answer.ts";
import type { Answer, GatewayKind } from "./exchange.ts";
import { analyticsSecretAnswers, keySecretAnswers, secretAnswers } from "./secret-answers.ts";
import { connectionAnswers, transportAnswers } from "./transport-answers.ts";

/** Every attack of the gateway. */
export const gatewayKinds: readonly GatewayKind[] = [
  ...kinds(transportAnswers, ["keys", "analytics"]),
  ...kinds(connectionAnswers, ["keys"]).map((kind) => ({ ...kind, onConnect: true })),
  ...kinds(jsonAnswers, ["keys", "analytics"]),
  ...kinds(keyAnswers, ["keys"]),
  ...kinds(analyticsAnswers, ["analytics"]),
  ...kinds(capabilitiesAnswers, ["analytics"]),
  ...kinds(listingAnswers, ["analytics"]),
  ...kinds(transcriptAnswers, ["analytics"]),
  ...kinds(secretAnswers, ["keys", "analytics"]),
  ...kinds(keySecretAnswers, ["keys"]),
  ...kinds(analyticsSecretAnswers, ["analytics"]),
  ...kinds({ "anything, delivered in any way": combined }, ["keys", "analytics"]),
];

function kinds(
  answers: Readonly<Record<string, Answer>>,
  lanes: GatewayKind["lanes"],
): readonly GatewayKind[] {
  return Object.entries(answers).map(([name, answer]) => ({
    name,
    lanes,
    answer,
    atOnce: /\b(?:16|8|2|1) (?:MB|GB|million)|million|100,000|[Ee]ndless/.test(name) ? 4 : 40,
  }));
}
