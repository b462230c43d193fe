import type { TargetRow } from "../target-rows.ts";
import { type Html, html } from "./html.ts";
import { ago } from "./time.ts";

/** A state by sign, word and colour, so that none of them alone carries it. */
export function mark(kind: "up" | "high" | "down" | "waiting", sign: string, text: string): Html {
  return html`<span class="state ${kind}"><span aria-hidden="true">${sign}</span> ${text}</span>`;
}

/**
 * Whether the last run of a target succeeded, with the reason if it failed. Overdue: it succeeded, but too long ago.
 */
export function stateMark({ state, failure }: TargetRow): Html {
  if (state === "down" && !failure) return mark("down", "✕", "Overdue");
  const reason = state === "down" && failure ? html` <code>${failure.reason}</code>` : undefined;
  const { sign, text } = STATES[state];
  return html`${mark(state, sign, text)}${reason}`;
}

/** Why the last run failed, with its cause and what to do; undefined while it works. */
export function failureText({ state, failure }: TargetRow): string | undefined {
  if (state !== "down" || !failure) return undefined;
  const { message, cause } = failure;
  return cause ? `${message}. ${cause.means}. ${cause.advice}` : message;
}

/** How old the last good answer is. */
export function answerAge({ state, lastSuccessMs }: TargetRow, nowMs: number): Html {
  if (state === "waiting") return html`not polled yet`;
  if (lastSuccessMs === undefined) return html`never answered`;
  return html`${state === "down" ? "last answered " : ""}${ago(lastSuccessMs, nowMs)}`;
}

const STATES = {
  up: { sign: "●", text: "Up" },
  down: { sign: "✕", text: "Failing" },
  waiting: { sign: "○", text: "Waiting" },
} as const satisfies Record<TargetRow["state"], { sign: string; text: string }>;
