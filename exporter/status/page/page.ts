import type { ConfigPart } from "../../config/config.ts";
import type { Overview } from "../overview.ts";
import { addressOf, isFiltered, type View } from "../view.ts";
import { attention, failingOf } from "./attention.ts";
import { counted } from "./amount.ts";
import { budgetsSection } from "./budgets.ts";
import { historySection } from "./history.ts";
import { type Html, html } from "./html.ts";
import { keysSection } from "./keys.ts";
import { layout, type Written } from "./layout.ts";
import { summary } from "./summary.ts";
import { viewed } from "./viewed.ts";
import { viewForm, viewNote } from "./view-form.ts";

/** The first page: all keys, or those of a view. It shows nothing that `/metrics` would not show. */
export function renderPage(all: Overview, telemetryPath: string, view: View): Written {
  const overview = viewed(all, view);
  const failing = failingOf(overview).length;
  const heading = "AI gateway exporter";
  const shown = {
    path: "/",
    title: `${failing > 0 ? `(${failing} failing) ` : ""}${heading}`,
    heading,
    about: overview.shard && shardText(overview.shard, all.keys.length),
    address: addressOf(view),
    sections: [
      viewForm(all, view),
      viewNote(overview.keys.length, all.keys.length, view),
      summary(overview),
      attention(overview),
      isFiltered(view) ? undefined : historySection(overview, "key"),
      budgetsSection(overview.budgets, all),
      keysSection(overview, view),
    ],
  };
  return layout(shown, overview, telemetryPath);
}

function shardText({ ordinal, total, elsewhere }: ConfigPart, keys: number): Html {
  const rest = `${counted(elsewhere.length, "key")} of the configuration`;
  return html`<p>
    <strong>Part of the keys:</strong> shard ${ordinal} of ${total} (from 0) shows ${counted(keys, "key")};
    other shards show ${rest}.
  </p>`;
}
