import type { Danger, KeyRow, TargetRow } from "../target-rows.ts";
import { type Html, html } from "./html.ts";
import { ago } from "./time.ts";

const SIGNS = {
  up: "●",
  waiting: "○",
  down: "✕",
  stopped: "▲",
  hour: "▲",
  day: "◆",
  week: "◆",
} as const;

/** A state by sign, word and colour, so that none of them alone carries it. */
export function mark(kind: keyof typeof SIGNS, text: string): Html {
  return html`<span class="state ${kind}"><span aria-hidden="true">${SIGNS[kind]}</span> ${text}</span>`;
}

/**
 * Whether the last run of a target succeeded, with the reason if it failed. Overdue: it succeeded, but too long ago.
 */
export function stateMark(target: TargetRow): Html {
  const { state, failure } = target;
  if (isWarned(target)) return mark("day", "Warning");
  if (state !== "down") return mark(state, state === "up" ? "Up" : "Waiting");
  return failure ? html`${mark("down", "Failing")} <code>${failure.reason}</code>` : mark("down", "Overdue");
}

/** Whether an answer is usable, but something in it needs attention. */
export function isWarned({ state, warning }: TargetRow): boolean {
  return state === "up" && warning !== undefined;
}

/** What has stopped the key or will stop it; otherwise the outcome of its polls. */
export function keyMark(key: KeyRow): Html {
  const { danger } = key;
  return danger && danger.why !== "refused" ? dangerMark(danger) : pollMark(key);
}

/** Whether a key is refused, disabled or only listed, or the outcome of its polls. */
export function pollMark(key: KeyRow): Html {
  if (key.danger?.why === "refused")
    return html`${mark("stopped", WHY.refused)} <code>${key.failure?.reason}</code>`;
  if (key.isDisabled === true) return mark("waiting", "Disabled");
  if (key.state === "up") return mark("up", key.isListed === true ? "Listed" : "Up");
  return stateMark(key);
}

/** By the time that is left, as the forecast announces it. */
export function dangerMark({ urgency, why }: Danger): Html {
  const isAhead = why === "runs-out" || why === "expires";
  return mark(urgency, `${WHY[why]}${isAhead ? WITHIN[urgency] : ""}`);
}

const WITHIN = { stopped: "", hour: " within the hour", day: " within a day", week: "" };

const WHY = {
  refused: "Refused",
  expired: "Expired",
  "used-up": "Used up",
  "runs-out": "Runs out",
  expires: "Expires",
  scarce: "Nearly used up",
} as const satisfies Record<Danger["why"], string>;

/** Why the last run failed, with its cause and what to do; or what part of the last good answer is unusable. */
export function faultText({ state, failure, warning }: TargetRow): string | undefined {
  if (state !== "down" || !failure) return warning;
  const { message, cause } = failure;
  return cause ? `${message}. ${cause.means}. ${cause.advice}` : message;
}

/** How old the last good answer is. */
export function answerAge({ state, lastSuccessMs }: TargetRow, nowMs: number): Html {
  if (state === "waiting") return html`not polled yet`;
  if (lastSuccessMs === undefined) return html`never answered`;
  return html`${state === "down" ? "last answered " : ""}${ago(lastSuccessMs, nowMs)}`;
}
