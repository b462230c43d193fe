import type { ConfigPart } from "../../config/config.ts";
import type { Overview } from "../overview.ts";
import { addressOf, isFiltered, type View } from "../view.ts";
import { accountSection, unwatchedSection } from "./account.ts";
import { attention, countFailing } from "./attention.ts";
import { counted } from "./amount.ts";
import { budgetsSection } from "./budgets.ts";
import { historySection } from "./history.ts";
import { type Html, html } from "./html.ts";
import { keysSection } from "./keys.ts";
import { layout, type Written } from "./layout.ts";
import { probesSection } from "./probes.ts";
import { pairsSection } from "./ranking.ts";
import { summary } from "./summary.ts";
import { viewed } from "./viewed.ts";
import { viewForm, viewNote } from "./view-form.ts";

/**
 * The status page as HTML. It needs no JavaScript and shows nothing that `/metrics` would not show. A view
 * may leave out part of it.
 */
export function renderPage(all: Overview, telemetryPath: string, view: View): Written {
  const overview = viewed(all, view);
  const { nowMs, keys, account, budgets, probes } = overview;
  const configured = all.keys.filter(({ isListed }) => isListed !== true).length;
  const failing = countFailing(overview);
  const sections = [
    viewForm(all, view),
    viewNote(keys.length, all.keys.length, view),
    summary(overview),
    attention(overview),
    isFiltered(view) ? html`` : historySection(overview, "key"),
    budgetsSection(budgets, configured, nowMs),
    keysSection(overview, view),
    accountSection(account, nowMs),
    unwatchedSection(overview.unwatched),
    pairsSection(overview),
    probesSection(probes, nowMs),
  ];
  const about = overview.shard && shardText(overview.shard, all.keys.length);
  const title = `${failing > 0 ? `(${failing} failing) ` : ""}AI gateway exporter`;
  const links = html`<a href="${addressOf(view)}">Refresh</a>`;
  const heading = html`AI gateway exporter`;
  return layout({ path: "/", title, heading, about, links, sections }, overview, telemetryPath);
}

function shardText({ ordinal, total, elsewhere }: ConfigPart, keys: number): Html {
  const rest = `${counted(elsewhere.length, "key")} of the configuration`;
  return html`<p>
    <strong>Part of the keys:</strong> shard ${ordinal} of ${total} (from 0) shows ${counted(keys, "key")};
    other shards show ${rest}.
  </p>`;
}
