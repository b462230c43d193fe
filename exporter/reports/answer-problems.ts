import type { Usage } from "../gateway/port.ts";
import type { ReportAmounts } from "./amounts.ts";
import type { ReportDimension, ReportLine } from "./report.ts";

/** Why the amounts of an answer may be wrong, besides warnings; `name`: what it is about. */
export function answerProblems({ pairs, total, creditsSource }: Usage, name: string): readonly string[] {
  const isUsed = total?.empty !== true || pairs.length > 0;
  const lacksCredits = total?.empty === false && total.amounts.credits === undefined;
  return [
    ...(total ? [] : [`the gateway sent no total of ${quoted(name)} that can be read`]),
    ...(total?.gap === "cut" ? [`the gateway sent only a part of the total of ${quoted(name)}`] : []),
    ...(lacksCredits ? [`the gateway did not send the credits of the total of ${quoted(name)}`] : []),
    ...(isUsed && creditsSource === "total" ? [BYOK_UNKNOWN] : []),
  ];
}

const BYOK_UNKNOWN =
  "the credits may contain usage that your own provider keys paid for (BYOK), because the gateway does not report it separately";

/**
 * Names the lines whose amounts are missing. Missing requests or tokens matter only if the rest has some,
 * because not every line counts them; credits matter always.
 */
export function lineProblems(
  lines: readonly ReportLine[],
  rest: ReportAmounts,
  by: readonly ReportDimension[],
): readonly string[] {
  return (["credits", "requests", "tokens"] as const).flatMap((amount) => {
    if (amount !== "credits" && (rest[amount] ?? 0) === 0) return [];
    const lacking = lines.filter((line) => line[amount] === undefined);
    const names = [...new Set(lacking.map((line) => nameText(line, by)))];
    return names.length === 0
      ? []
      : [`the gateway did not send the ${amount} of ${listed(names)}, so they are part of the rest`];
  });
}

function nameText({ names }: ReportLine, by: readonly ReportDimension[]): string {
  return names.map((name, index) => (name === "" ? `(no ${by[index]})` : quoted(name))).join(" of ");
}

/** Names in a message: of many, the first ones and the number of the others. */
export function listed(names: readonly string[]): string {
  const others = names.length - MOST_NAMES;
  return others > 1
    ? `${names.slice(0, MOST_NAMES).join(", ")} and ${others} others`
    : names.join(names.length > 2 ? ", " : " and ");
}

const MOST_NAMES = 5;

/** A name of the gateway in a message: on one line, and not longer than a line. */
export function quoted(name: string): string {
  const signs = Array.from(name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " "));
  return `"${signs.length > MOST_SIGNS ? `${signs.slice(0, MOST_SIGNS).join("")}…` : signs.join("")}"`;
}

const MOST_SIGNS = 60;
