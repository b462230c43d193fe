import { type KeyFigures, resetEnd } from "./books.ts";
import { windowEnd, type WindowName } from "./calendar.ts";
import type { Question } from "./questions.ts";
import type { KeySettings } from "./story.ts";
import type { World } from "./world.ts";

/** One value that `/metrics` shows of a key. */
export interface KeyValue {
  readonly family: string;
  readonly value: number;
  /** The end of the calendar window that it belongs to, epoch milliseconds; undefined: it belongs to none. */
  readonly windowEndMs: number | undefined;
}

/** What `/metrics` must show of a key whose figures were asked for at an instant. */
export function keyValues(figures: KeyFigures, asOfMs: number): readonly KeyValue[] {
  const { usage, byok, limit, remaining } = figures;
  const spend = (name: string, spent: KeyFigures["usage"]) => [
    ...credits(`${name}_credits`, spent.total),
    ...WINDOWS.flatMap((window) =>
      credits(`${name}_${window}_credits`, spent[window], windowEnd(window, asOfMs)),
    ),
  ];
  return [
    ...spend("usage", usage),
    ...spend("byok_usage", byok),
    { family: "aigateway_key_unlimited", value: Number(limit === null), windowEndMs: undefined },
    ...credits("limit_credits", limit),
    ...credits("limit_remaining_credits", remaining, resetEnd(figures, asOfMs)),
  ];
}

function credits(family: string, micros: number | null, windowEndMs?: number): readonly KeyValue[] {
  return micros === null ? [] : [{ family: `aigateway_key_${family}`, value: micros / 1e6, windowEndMs }];
}

const WINDOWS: readonly WindowName[] = ["day", "week", "month"];

/** Every family of a key's values. */
export const KEY_VALUE_FAMILIES = [
  ...["usage", "byok_usage"].flatMap((name) =>
    ["", "_day", "_week", "_month"].map((part) => `${name}${part}_credits`),
  ),
  "unlimited",
  "limit_credits",
  "limit_remaining_credits",
].map((name) => `aigateway_key_${name}`);

/** Everything asked with the secrets that the file of a key has held, while the present exporter runs. */
export function questionsAbout(world: World, { name, file }: KeySettings): readonly Question[] {
  const { gateway } = world.settings();
  const since = Math.max(world.configuredSince(name), world.startedAt());
  return world.files.tokens(file).flatMap(({ token }) => {
    const all = world.questions.with("key", gateway, token);
    return (all[0]?.at ?? since) >= since ? all : all.filter(({ at }) => at >= since);
  });
}

/** The figures of a good answer, from the books. */
export function figuresOf({ books }: World, { gateway, account, asOfMs }: Question): KeyFigures | undefined {
  return account === undefined ? undefined : books.key({ gateway, number: account }, asOfMs);
}
