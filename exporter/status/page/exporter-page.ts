import type { Overview } from "../overview.ts";
import { EXPORTER_PATH } from "../view.ts";
import { foreign, type Html, html } from "./html.ts";
import { layout, type Written } from "./layout.ts";
import { answerAge, faultText, stateMark } from "./marks.ts";
import { probesSection } from "./probes.ts";
import { sheet } from "./table.ts";
import { targetsOf } from "./targets.ts";

/** What the exporter asks beside keys, and whether it is answered. */
export function renderExporterPage(overview: Overview, telemetryPath: string): Written {
  const about = { path: EXPORTER_PATH, title: "Exporter – AI gateway exporter", heading: "Exporter" };
  const sections = [targetsSection(overview), probesSection(overview.probes, overview.nowMs), CHECKS];
  return layout({ ...about, sections }, overview, telemetryPath);
}

function targetsSection(overview: Overview): Html {
  const rows = targetsOf(overview).map(({ target, title, result }) => {
    const why = faultText(target);
    return {
      cells: [
        title,
        html`${stateMark(target)}<small>${answerAge(target, overview.nowMs)}</small>`,
        html`${result}${why === undefined ? undefined : html`<small>${foreign(why, 800)}</small>`}`,
      ],
    };
  });
  if (rows.length === 0)
    return html`<p class="note">
      Keys are all that is polled: no management key is configured (<code>analytics</code>).
    </p>`;
  const columns = [{ title: "Question" }, { title: "State" }, { title: "Answer", kind: "text" }] as const;
  return sheet({ id: "questions", title: "Questions to the gateway" }, columns, rows);
}

const CHECKS = html`<p class="note">
  For health checks: <a href="/-/healthy">/-/healthy</a> and <a href="/-/ready">/-/ready</a>. For scripts:
  <a href="/api/v1/status">the status as JSON</a>.
</p>`;
