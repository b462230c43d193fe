import { type Html, html } from "./html.ts";
import type { TargetRow } from "../overview.ts";
import { ago } from "./time.ts";

/** Whether the last poll succeeded, by sign, word and colour; the reason where it failed. */
export function state({ state: word, failure }: TargetRow): Html {
  const { sign, text } = WORDS[word];
  const reason = word === "down" && failure ? html` <code>${failure.reason}</code>` : undefined;
  return html`<span class="state ${word}"><span aria-hidden="true">${sign}</span> ${text}</span>${reason}`;
}

/** How old the last good answer is. */
export function answerAge({ state: word, lastSuccessMs }: TargetRow, nowMs: number): Html {
  if (word === "waiting") return html`not polled yet`;
  if (lastSuccessMs === undefined) return html`never answered`;
  return html`${word === "down" ? "last answered " : ""}${ago(lastSuccessMs, nowMs)}`;
}

const WORDS = {
  up: { sign: "●", text: "Up" },
  down: { sign: "✕", text: "Failing" },
  waiting: { sign: "○", text: "Waiting" },
} as const satisfies Record<TargetRow["state"], { sign: string; text: string }>;
