import type { Member } from "./member.ts";
import type { Questions } from "./questions.ts";

/** What several processes know from the gateway: what they asked since each of them began. */
export function unionQuestions(running: () => readonly Member[]): Questions {
  const together = (log: (questions: Questions) => ReturnType<Questions["at"]>) =>
    running()
      .flatMap(({ world }) => log(world.questions).filter(({ at }) => at >= world.startedAt()))
      .toSorted((one, other) => one.number - other.number);
  return {
    add: () => {
      throw new Error("Cannot add a question: it belongs to one process");
    },
    with: (...of) => together((questions) => questions.with(...of)),
    at: (endpoint) => together((questions) => questions.at(endpoint)),
  };
}

/** The expositions of several processes as one: each series with its greatest value, as the rules fold them. */
export function unionText(texts: readonly string[]): string {
  const families = new Map<string, Map<string, string>>();
  for (const text of texts) {
    let family = new Map<string, string>();
    for (const line of text.split("\n")) {
      if (line.startsWith("# TYPE ")) {
        family = families.get(line) ?? new Map<string, string>();
        families.set(line, family);
      }
      if (line === "" || line.startsWith("#")) continue;
      const [series, value] = [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)];
      const known = family.get(series);
      if (known === undefined || Number(value) > Number(known)) family.set(series, value);
    }
  }
  return [...families]
    .map(([type, samples]) => `${type}\n${[...samples].map((sample) => sample.join(" ")).join("\n")}\n`)
    .join("");
}
