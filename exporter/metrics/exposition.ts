import type { Family, Sample } from "./family.ts";

/** The two formats that are spoken: Prometheus text 0.0.4 and OpenMetrics 1.0. */
export const FORMATS = ["text", "openmetrics"] as const;
export type Format = (typeof FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Families with at least one sample, in order, as text; no end mark, since the exporter's own metrics follow. */
export type Exposition = Readonly<Record<Format, string>>;

/** Longest that the event loop is kept from its other work at a stretch. */
const SLICE_MS = 5;

/** A family in its place, with the HELP text to print. */
export interface FamilyHeader {
  readonly family: Family;
  readonly help: string;
}

/** Renders in slices, giving way by `breathe` between them. The samples must not change meanwhile. */
export async function render(
  headers: readonly FamilyHeader[],
  samples: readonly (readonly Sample[])[],
  breathe: () => Promise<void>,
): Promise<Exposition> {
  const renderer = createRenderer(headers);
  let sliceStart = performance.now();
  for (const group of samples) {
    renderer.add(group);
    if (performance.now() - sliceStart > SLICE_MS) {
      await breathe();
      sliceStart = performance.now();
    }
  }
  return renderer.finish();
}

/** The same in one go, for the moment when an outdated text must not be served. */
export function renderNow(
  headers: readonly FamilyHeader[],
  samples: readonly (readonly Sample[])[],
): Exposition {
  const renderer = createRenderer(headers);
  for (const group of samples) renderer.add(group);
  return renderer.finish();
}

function createRenderer(headers: readonly FamilyHeader[]) {
  const lines = new Map<Family, string>(headers.map(({ family }) => [family, ""]));
  return {
    add(samples: readonly Sample[]): void {
      for (const { family, labels, value } of samples) {
        lines.set(family, `${lines.get(family) ?? ""}${family.name}{${labels}} ${value}\n`);
      }
    },
    finish(): Exposition {
      const written = headers.filter(({ family }) => lines.get(family) !== "");
      const join = (header: (of: FamilyHeader) => string) =>
        written.map((of) => `${header(of)}${lines.get(of.family) ?? ""}`).join("");
      return { text: join(textHeader), openmetrics: join(openMetricsHeader) };
    },
  };
}

/** Text 0.0.4 knows neither infos nor state sets: both are gauges there. */
function textHeader({ family, help }: FamilyHeader): string {
  const type = family.type === "counter" ? "counter" : "gauge";
  return `# HELP ${family.name} ${escapeHelp(help)}\n# TYPE ${family.name} ${type}\n`;
}

/** OpenMetrics names an info or a counter without its suffix and escapes quotes in HELP, too. */
function openMetricsHeader({ family, help }: FamilyHeader): string {
  const name = family.name.replace(family.type === "info" ? /_info$/ : /_total$/, "");
  return `# TYPE ${name} ${family.type}\n# HELP ${name} ${escapeHelp(help).replaceAll('"', '\\"')}\n`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
