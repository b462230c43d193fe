import type { Overview, ShardOverview } from "../overview.ts";
import { addressOf, type View } from "../view.ts";
import { accountSection } from "./account.ts";
import { attention, countFailing } from "./attention.ts";
import { counted } from "./amount.ts";
import { budgetsSection } from "./budgets.ts";
import { type Html, html } from "./html.ts";
import { keysSection } from "./keys.ts";
import { layout } from "./layout.ts";
import { probesSection } from "./probes.ts";
import { queriesSection } from "./queries.ts";
import { summary } from "./summary.ts";
import { unwatchedSection } from "./unwatched.ts";
import { viewed } from "./viewed.ts";
import { viewForm, viewNote } from "./view-form.ts";

/**
 * The status page as HTML. It needs no JavaScript and shows nothing that `/metrics` would not show. A view
 * may leave out part of it.
 */
export function renderPage(all: Overview, telemetryPath: string, view: View): Html {
  const overview = viewed(all, view);
  const { nowMs, keys, account, queries, budgets, probes } = overview;
  const configured = all.keys.filter(({ isListed }) => isListed !== true).length;
  const failing = countFailing(overview);
  const sections = [
    () => viewForm(all, view),
    () => viewNote(keys.length, all.keys.length, view),
    () => summary(overview),
    () => attention(overview),
    () => budgetsSection(budgets, configured, nowMs),
    () => keysSection(overview, view),
    () => accountSection(account, nowMs),
    () => unwatchedSection(overview.unwatched),
    () => queriesSection(queries, nowMs),
    () => probesSection(probes, nowMs),
  ];
  const about = overview.shard && shardText(overview.shard, all.keys.length);
  const title = `${failing > 0 ? `(${failing} failing) ` : ""}AI gateway exporter`;
  const links = html`<a href="${addressOf(view)}">Refresh</a>`;
  const heading = html`AI gateway exporter`;
  return layout({ path: "/", title, heading, about, links, sections }, overview, telemetryPath);
}

function shardText({ ordinal, total, keysElsewhere }: ShardOverview, keys: number): Html {
  const rest = `${counted(keysElsewhere, "key")} of the configuration`;
  return html`<p>
    <strong>Part of the keys:</strong> shard ${ordinal} of ${total} (from 0) shows ${counted(keys, "key")};
    other shards show ${rest}.
  </p>`;
}
