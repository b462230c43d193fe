import { ORDINARY, type Story } from "./story.ts";

/** A story as a test that can be pasted: only what differs from the ordinary world. */
export function printedStory({ settings, ...story }: Story): string {
  const { settings: ordinarySettings, ...ordinary } = ORDINARY;
  const differing = differences(story, ordinary);
  const changed = differences(settings, ordinarySettings);
  const all = { ...differing, ...(Object.keys(changed).length > 0 && { settings: changed }) };
  return `test("…", () => expect(violationOf(${literal(all)})).resolves.toBeUndefined());`;
}

function differences(value: object, ordinary: object): object {
  const known = new Map<string, unknown>(Object.entries(ordinary));
  return Object.fromEntries(
    Object.entries(value).filter(([name, one]) => JSON.stringify(one) !== JSON.stringify(known.get(name))),
  );
}

function literal(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(",", ", ")
    .replaceAll(/([{}])/g, " $1 ")
    .replaceAll(/ {2,}/g, " ");
}
