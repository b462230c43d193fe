import type { Usage } from "../gateway/port.ts";

/** Why the amounts of an answer may be wrong, besides warnings; `name`: what it is about. */
export function answerProblems({ total }: Usage, name: string): readonly string[] {
  return [
    ...(total ? [] : [`the gateway sent no total of "${name}" that can be read`]),
    ...(total?.gap === "cut" ? [`the gateway sent only a part of the total of "${name}"`] : []),
  ];
}
