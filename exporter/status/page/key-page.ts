import { type WindowKind, windowAt } from "../../time/window.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow, QueryRow } from "../target-rows.ts";
import { keyAddress } from "../view.ts";
import { credits, price, tile } from "./amount.ts";
import { budgetsSection } from "./budgets.ts";
import { dangerText, lastingText, layerText } from "./danger-text.ts";
import { foreign, type Html, html, labelled } from "./html.ts";
import { keyHistory } from "./history.ts";
import { byokLine, expiryLine, listLine, ownerLine, resetCell, UNKNOWN_NOTE, usedCell } from "./keys.ts";
import { layout, type Written } from "./layout.ts";
import { answerAge, dangerMark, faultText, pollMark } from "./marks.ts";
import type { NameThere } from "../key-names.ts";
import { card, type Column, sheet } from "./table.ts";
import { until } from "./time.ts";
import { ranked, rankingSection } from "./ranking.ts";

/** Everything that is known about one key; the page of a key that does not exist says so. */
export function renderKeyPage(overview: Overview, telemetryPath: string, name: string): Written {
  const key = overview.keyNamed(name);
  const shown = {
    path: "/",
    address: keyAddress(name),
    title: `${key ? name : "No such key"} – AI gateway exporter`,
    heading: key ? html`Key ${foreign(name)}` : "No such key",
    about: key && ownerLine(key),
    sections: key ? sectionsOf(key, overview) : [missing(name, overview)],
    isMissing: !key,
  };
  return layout(shown, overview, telemetryPath);
}

function sectionsOf(key: KeyRow, overview: Overview): readonly (Html | undefined)[] {
  const { nowMs, keyModels } = overview;
  const budgets = overview.budgets.filter(
    ({ scope }) => scope.kind === "keys" && scope.names.includes(key.name),
  );
  return [
    stateCard(key, nowMs),
    figures(key, overview),
    layersSection(key, nowMs),
    keyHistory(key, overview),
    keyModels && keyModelsSection(overview.keyNames.of(key), keyModels.of(key)),
    budgetsSection(budgets, overview),
    UNKNOWN_NOTE,
  ];
}

function missing(name: string, { shard }: Overview): Html {
  return html`<section class="card">
    <p>
      No key is named ${foreign(name)}. ${shard && "This process polls only part of the keys. "}A key that was
      removed has no page.
    </p>
  </section>`;
}

/** The state of the polls, what needs attention, and what the last failure was. */
function stateCard(key: KeyRow, nowMs: number): Html {
  const fault = faultText(key);
  return card(
    { id: "state", title: "State" },
    html`<p>
        ${pollMark(key)} <small class="inline">${answerAge(key, nowMs)}${expiryLine(key, nowMs)}</small>
      </p>
      ${fault === undefined ? undefined : html`<p class="message">${foreign(fault, 800)}</p>`}
      ${listLine(key)}
      <p>${verdict(key, nowMs)}</p>`,
  );
}

/** Whether the limit lasts, in a sentence. */
function verdict(key: KeyRow, nowMs: number): Html {
  const { limit, remaining, danger } = key;
  if (danger && danger.why !== "refused")
    return html`${dangerMark(danger)} ${dangerText(key, danger, nowMs)}`;
  const layer = layerText(key, nowMs);
  if (layer) return layer;
  if (limit === "unlimited") return html`The key has no limit.`;
  if (limit === undefined) return html`Whether the key has a limit is not known.`;
  return remaining === undefined ? html`What is left of the limit is not known.` : lastingText(key);
}

function figures(key: KeyRow, { nowMs, creditValue }: Overview): Html {
  const spent = (title: string, kind: WindowKind | "total") => {
    const startMs = kind === "total" ? 0 : windowAt(kind, nowMs).startMs;
    const byok = kind === "week" ? undefined : byokLine(key.byok?.[kind]);
    return tile(title, credits(key[kind]), html`${price(key[kind], creditValue, startMs)} ${byok}`);
  };
  const limit =
    key.limit === "unlimited"
      ? tile("Limit", html`<span class="soft">${key.layers?.length ? "none of its own" : "unlimited"}</span>`)
      : [
          tile("Limit used", usedCell(key, key.limit)),
          tile("Left", credits(key.remaining)),
          tile("Resets", resetCell(key, nowMs)),
        ];
  return html`<dl class="summary">${limit}</dl>
    <dl class="summary">
      ${spent("Today", "day")} ${spent("This week", "week")} ${spent("This month", "month")}
      ${spent("All time", "total")}
    </dl>`;
}

/** Every budget that binds the key beside its own limit. */
function layersSection({ layers = [] }: KeyRow, nowMs: number): Html | undefined {
  if (layers.length === 0) return undefined;
  const rows = layers.map(
    ({ source, sharedId, limitCredits, spentCredits, remainingCredits, nextResetMs }) => {
      return {
        cells: [
          html`<code>${foreign(source, 64)}</code>${sharedId && html`<small>shared with other keys</small>`}`,
          credits(limitCredits),
          credits(spentCredits),
          credits(remainingCredits),
          nextResetMs === undefined ? "none known" : until(nextResetMs, nowMs),
        ],
      };
    },
  );
  return sheet({ id: "layers", title: "Budgets of the gateway" }, LAYER_COLUMNS, rows);
}

const LAYER_COLUMNS: readonly Column[] = [
  { title: "Budget" },
  { title: "Limit", kind: "number" },
  { title: "Spent", kind: "number" },
  { title: "Left", kind: "number" },
  { title: "Resets" },
];

/** What a key spends by model in each window. */
export function keyModelsSection({ label = "", isShared }: NameThere, windows: readonly QueryRow[]): Html {
  const heading = { id: "models", title: "Models" };
  const name = foreign(label, 64);
  if (windows.length === 0) {
    const twins = html`several keys have the name ${name} at the gateway, which reports them as one.`;
    return card(heading, html`<p>Unknown: ${isShared ? twins : UNNAMED}</p>`);
  }
  const rows = ranked(windows, ({ model }) => model).map(({ name: model, amounts }) => {
    return { title: labelled(model, "model"), amounts };
  });
  const notes = html`<p class="note">
    By the name of the key at the gateway, ${name}: a deleted key of that name is part of it. “At least”: rows
    or amounts are missing in the answer.
  </p>`;
  return rankingSection({ ...heading, what: "Model", notes, isWhole: true }, rows, windows);
}

const UNNAMED = html`the gateway reports this by the names that keys have there, and no list of the account’s
  keys has a name of this one. The section <code>discovery</code> of the configuration lists them.`;
