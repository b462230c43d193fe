import { describe, expect, test } from "vitest";
import { lastPeriod } from "../../../exporter/reports/period.ts";
import type { ReportLine, SpendReport } from "../../../exporter/reports/report.ts";
import { svgReport } from "../../../exporter/reports/svg.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const NOTHING = { byokCredits: 0, requests: 1, tokens: 2, cost: undefined };
const line = (name: string, credits: number | undefined): ReportLine => ({ name, credits, ...NOTHING });

function drawn(lines: readonly ReportLine[], more: Partial<SpendReport> = {}): string {
  const period = lastPeriod("month", NOON);
  return svgReport({
    by: "team",
    period,
    untilMs: period.window.endMs,
    currency: undefined,
    lines,
    rest: undefined,
    total: line("", 100),
    problems: [],
    ...more,
  });
}

const bars = (svg: string) =>
  [...svg.matchAll(/<rect class="bar" [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

describe("svgReport()", () => {
  test("bars are as long as their credits, and every figure is text", () => {
    const svg = drawn([line("payments", 60), line("web", 30)], { rest: line("", 10) });
    const [first = 0, second, third] = bars(svg);
    expect([second, third]).toEqual([expect.closeTo(first / 2, 1), expect.closeTo(first / 6, 1)]);
    expect(texts(svg)).toEqual([
      "Spend by team, 2026-10",
      "2026-10-01 to 2026-10-31 (UTC). Total: 100.00 credits.",
      "payments",
      "60.00 (60.0 %)",
      "web",
      "30.00 (30.0 %)",
      "(not assigned)",
      "10.00 (10.0 %)",
    ]);
    expect(svg).toContain('role="img" aria-labelledby="title figures"');
    expect(svg).toContain('<title id="title">Spend by team, 2026-10</title>');
    expect(svg).toMatch(/<desc id="figures">[^<]*payments: 60\.00 \(60\.0 %\)\nweb: 30\.00/);
    expect(svg).toContain("prefers-color-scheme:dark");
  });

  test("more than ten lines are drawn together", () => {
    const svg = drawn(Array.from({ length: 13 }, (_, index) => line(`team ${index}`, 20 - index)));
    expect(bars(svg)).toHaveLength(11);
    expect(texts(svg)).toContain("3 others");
    expect(texts(svg)).toContain("27.00 (27.0 %)");
  });

  test("nothing, refunds and what is not known have no bar", () => {
    const svg = drawn([line("a", 0), line("b", -1.5), line("c", undefined), line("", 0)]);
    expect(bars(svg)).toEqual([]);
    expect(texts(svg)).toEqual(
      expect.arrayContaining(["0.00 (0.0 %)", "-1.50 (-1.5 %)", "not known", "(no team)"]),
    );
    expect(svg).not.toContain("NaN");
  });

  test("a period without spend, an open one and an incomplete one", () => {
    const svg = drawn([], { total: line("", 0), untilMs: NOON - 30 * 86_400_000, problems: ["rows < all"] });
    expect(bars(svg)).toEqual([]);
    expect(texts(svg)).toEqual(
      expect.arrayContaining(["Incomplete: rows &lt; all.", "Not closed: the period has not ended."]),
    );
  });

  test("names cannot become markup, break the text or run over the bars", () => {
    const hostile = `</text><script>alert("1")</script>&amp;\u0000\u202E\uD800${"x".repeat(100)}`;
    const svg = drawn([line(hostile, 1)]);
    expect(svg).not.toMatch(/<script|alert\("|\0|\u202E|\uD800/);
    expect(svg).toContain("&lt;/text&gt;&lt;script&gt;alert(&quot;1");
    expect(svg).toContain("&amp;amp;");
    expect(texts(svg)[2]).toMatch(/…$/);
  });
});
