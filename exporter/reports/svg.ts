import { sumOf } from "./amounts.ts";
import { amount, MOST_LINES, share, spanText, titleOf } from "./markdown.ts";
import type { SpendReport } from "./report.ts";

/**
 * The report as a bar chart: the most expensive lines, the others together, and what belongs to no line. It follows the
 * reader's light or dark scheme, needs no script, and has its figures as text.
 */
export function svgReport(report: SpendReport): string {
  const { by, period, lines, rest, total, problems, untilMs } = report;
  const what = by.replace("_", " ");
  const [shown, others] = [lines.slice(0, MOST_LINES), lines.slice(MOST_LINES)];
  const bars: readonly Bar[] = [
    ...shown.map(({ name, credits }) => ({ name: name === "" ? `(no ${what})` : name, credits })),
    ...(others.length > 0 ? [{ name: `${others.length} others`, credits: sumOf(others).credits }] : []),
    ...(rest ? [{ name: "(not assigned)", credits: rest.credits }] : []),
  ];
  const title = `Spend by ${what}, ${titleOf(report)}`;
  const notes = [
    `${spanText(report)} Total: ${amount(total.credits, 2)} credits.`,
    ...problems.map((problem) => `Incomplete: ${problem}.`),
    ...(period.window.endMs > untilMs ? ["Not closed: the period has not ended."] : []),
  ];
  const most = Math.max(0, ...bars.map(({ credits = 0 }) => credits));
  const texts = bars.map(({ name, credits }) => `${name}: ${valueText(credits, total.credits)}`);
  const top = TOP + notes.length * LINE;
  const height = top + bars.length * ROW + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title figures">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="figures">${escaped([...notes, ...texts].join("\n"))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="100%" height="100%"/>`,
    `<text class="title" x="${MARGIN}" y="${TITLE_Y}">${escaped(title)}</text>`,
    ...notes.map(
      (note, index) =>
        `<text class="note" x="${MARGIN}" y="${TITLE_Y + (index + 1) * LINE}">${escaped(cut(note, MOST_NOTE))}</text>`,
    ),
    ...bars.map((bar, index) => row(bar, top + index * ROW, most, total.credits)),
    "</svg>\n",
  ].join("\n");
}

interface Bar {
  readonly name: string;
  readonly credits: number | undefined;
}

/** No bar is drawn for what is not known, nothing, or refunded; the figure remains. */
function row({ name, credits }: Bar, y: number, most: number, total: number | undefined): string {
  const length = credits === undefined || credits <= 0 ? 0 : (credits / most) * LONGEST;
  const middle = y + ROW / 2;
  return [
    `<text class="name" x="${BARS - GAP}" y="${middle}">${escaped(cut(name, MOST_NAME))}</text>`,
    ...(length > 0
      ? [
          `<rect class="bar" x="${BARS}" y="${y + GAP / 2}" width="${length.toFixed(1)}" height="${ROW - GAP}"/>`,
        ]
      : []),
    `<text x="${(BARS + length + GAP).toFixed(1)}" y="${middle}">${valueText(credits, total)}</text>`,
  ].join("");
}

function valueText(credits: number | undefined, total: number | undefined): string {
  const part = share(credits, total);
  return `${amount(credits, 2)}${part === "" ? "" : ` (${part})`}`;
}

const [WIDTH, MARGIN, TITLE_Y, TOP, LINE, ROW, GAP] = [720, 16, 32, 44, 20, 28, 8];
/** Where the bars begin, and the length of the longest one; its figure is on its right. */
const [BARS, LONGEST] = [216, 340];
const [MOST_NAME, MOST_NOTE] = [26, 100];

const STYLE = [
  "text{font:13px system-ui,sans-serif;fill:#1f2328;dominant-baseline:middle}",
  ".title{font-size:17px;font-weight:600;dominant-baseline:auto}",
  ".note{fill:#57606a;dominant-baseline:auto}",
  ".name{text-anchor:end}",
  ".page{fill:#fff}",
  ".bar{fill:#2f6fb7}",
  "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#9ea7b3}.page{fill:#0d1117}.bar{fill:#5b9be0}}",
].join("");

function cut(text: string, most: number): string {
  const signs = Array.from(text);
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}…` : text;
}

/** XML has no place for control characters and halves of surrogate pairs, not even as references. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/(?!\n)[\p{Cc}\uFFFE\uFFFF\u202A-\u202E\u2066-\u2069]+/gu, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
