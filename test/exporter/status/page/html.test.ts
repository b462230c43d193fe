import { describe, expect, test } from "vitest";
import { foreign, html } from "../../../../exporter/status/page/html.ts";

describe("html", () => {
  test("escapes values in text and in attributes", () => {
    expect(String(html`<a title="${`"><script`}">${`&'<>`}</a>`)).toBe(
      `<a title="&#34;&#62;&#60;script">&#38;&#39;&#60;&#62;</a>`,
    );
  });

  test("inserts Html unescaped, joins lists, writes numbers and leaves out undefined", () => {
    expect(String(html`<p>${html`<b>${1}</b>`}${[html`<i></i>`, html`<u></u>`]}${undefined}</p>`)).toBe(
      "<p><b>1</b><i></i><u></u></p>",
    );
  });
});

describe("foreign", () => {
  test.each([
    ["Grüße 🚀 日本語", "Grüße 🚀 日本語"],
    ["Two\nlines\r\nmore\u2028", "Two⏎lines⏎more⏎"],
    ["tab\u0000bell\u0007", "tab�bell�"],
    ["\u202Eesrever\u2066", "�esrever�"],
    ["lone \uD83D", "lone �"],
    ["<b>", "&#60;b&#62;"],
    ["x".repeat(10), "x".repeat(10)],
    ["x".repeat(11), `${"x".repeat(10)}…`],
    [`${"x".repeat(9)}🚀`, `${"x".repeat(9)}…`],
  ])("shows %j as %j", (text, shown) => {
    expect(String(foreign(text, 30 - (text.startsWith("x") ? 20 : 0)))).toBe(`<bdi>${shown}</bdi>`);
  });
});
