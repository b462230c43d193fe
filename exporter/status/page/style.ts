import { Html } from "./html.ts";

/**
 * All styles of the page, which loads no other files. Every text has a contrast of at least 4.5 in light and dark
 * mode.
 */
export const STYLE = new Html(`<style>
  :root {
    color-scheme: light dark; --ground: #f5f6f8; --card: #ffffff; --text: #1c2128; --soft: #596372;
    --line: #e2e5ea; --bar: #5878c8; --track: #e8ebf0; --up: #1a7546; --high: #8a5300; --high-bar: #d9952b;
    --down: #b3261e; --link: #2f55b0;
    --s0: #5878c8; --s1: #d9952b; --s2: #2c9c8c; --s3: #b65fa8; --s4: #8a9a3b; --s5: #a8b0bb;
  }
  @media screen and (prefers-color-scheme: dark) {
    :root {
      --ground: #101318; --card: #181c23; --text: #e6e9ee; --soft: #9da7b5; --line: #2a303a;
      --bar: #6f8fe0; --track: #2a303a; --up: #56c68c; --high: #e5b04c; --high-bar: #c98d2b;
      --down: #ff8a80; --link: #9db7ff;
      --s0: #6f8fe0; --s1: #dba24a; --s2: #3fb3a2; --s3: #c983bd; --s4: #a3b355; --s5: #66707d;
    }
  }
  * { box-sizing: border-box; }
  body {
    margin: 0 auto; max-width: 1240px; padding: 28px 24px; background: var(--ground); color: var(--text);
    font: 15px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums;
  }
  h1, h2, h3, p, dl, dd, ul { margin: 0; padding: 0; }
  h1 { font-size: 22px; font-weight: 650; letter-spacing: -0.01em; }
  h2 { font-size: 16px; font-weight: 650; }
  main > h2 { margin: 8px 0; }
  h3 { font-size: 15px; font-weight: 650; }
  small, .soft, .note, .more, .unknown, footer, .top p { color: var(--soft); }
  small, .note, footer { font-size: 13px; font-weight: 400; }
  code { font: 12.5px ui-monospace, monospace; }
  bdi { overflow-wrap: anywhere; }
  a { color: var(--link); }
  time { white-space: nowrap; }
  .top {
    display: flex; flex-wrap: wrap; justify-content: space-between; gap: 8px 24px; margin-bottom: 20px;
  }
  nav { display: flex; gap: 18px; padding-top: 4px; }
  .tabs { margin-top: 8px; }
  .tabs [aria-current] { color: var(--text); font-weight: 650; text-decoration: none; }
  .card {
    margin: 0 0 16px; padding: 16px 18px; background: var(--card); border: 1px solid var(--line);
    border-radius: 10px;
  }
  .summary {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); gap: 16px;
    margin-bottom: 16px;
  }
  .summary .card { margin: 0; }
  dt { color: var(--soft); font-size: 13px; }
  .summary dd { overflow-wrap: anywhere; font-size: 26px; font-weight: 600; letter-spacing: -0.01em; }
  .summary dd .soft { font-size: 16px; font-weight: 400; }
  .summary small { display: block; letter-spacing: 0; }
  .summary small small { display: inline; }
  .summary .state { white-space: normal; }
  .state { white-space: nowrap; font-weight: 550; }
  .state.up { font-weight: 400; }
  .state.up span { color: var(--up); }
  .state.down { color: var(--down); }
  .state.high { color: var(--high); }
  .state.waiting { color: var(--soft); }
  small.inline { display: inline; }
  .message { overflow-wrap: anywhere; }
  .attention ul { list-style: none; margin-top: 8px; }
  .attention li { padding: 8px 0; border-top: 1px solid var(--line); }
  .attention li p { overflow-wrap: anywhere; }
  .attention strong { margin-right: 8px; }
  .attention small { margin-left: 6px; }
  .scroll { overflow-x: auto; }
  table { width: 100%; border-collapse: collapse; }
  caption { padding-bottom: 8px; text-align: left; }
  th, td {
    padding: 8px 10px; border-top: 1px solid var(--line); text-align: left; vertical-align: top;
    white-space: nowrap;
  }
  tbody th { white-space: normal; font-weight: 550; }
  .rest th { color: var(--soft); font-weight: 400; }
  thead th { color: var(--soft); font-size: 13px; font-weight: 500; border-top: 0; }
  th:first-child, td:first-child { padding-left: 0; }
  th:last-child, td:last-child { padding-right: 0; }
  .number { text-align: right; }
  .reset { padding-left: 22px; }
  td small, th small { display: block; }
  small.of, .summary small.of { display: flex; }
  .why, .over { min-width: 130px; max-width: 240px; white-space: normal; overflow-wrap: anywhere; }
  .over { min-width: 190px; }
  tbody th { min-width: 150px; max-width: 260px; }
  .of { justify-content: space-between; gap: 14px; }
  .of b { font-weight: 400; }
  .of.high b { color: var(--high); font-weight: 600; }
  .of.full b { color: var(--down); font-weight: 600; }
  .bar {
    display: block; min-width: 150px; height: 6px; margin: 8px 0 4px; border-radius: 3px;
    background: var(--track); overflow: hidden;
  }
  .bar i { display: block; height: 100%; background: var(--bar); }
  .bar.high i { background: var(--high-bar); }
  .bar.full i { background: var(--down); }
  .spark { display: block; width: 72px; height: 20px; margin: 4px 0 0 auto; overflow: visible; }
  .plot { position: relative; height: 160px; margin: 22px 22px 30px 52px; }
  .plot svg { display: block; width: 100%; height: 100%; overflow: visible; }
  .plot span, .plot b { position: absolute; font-size: 12px; line-height: 1; white-space: nowrap; }
  .plot span { color: var(--soft); }
  .plot .y { right: 100%; margin-right: 8px; transform: translateY(-50%); }
  .plot .x { top: 100%; margin-top: 8px; transform: translateX(-50%); }
  .plot b { padding: 2px; border-radius: 3px; background: var(--card); transform: translate(-50%, calc(-100% - 2px)); }
  .spark path, .plot path {
    fill: none; stroke: var(--s0); stroke-width: 2; stroke-linejoin: round; vector-effect: non-scaling-stroke;
  }
  .plot .grid { stroke: var(--line); stroke-width: 1; }
  .plot .before { stroke: var(--text); stroke-width: 1.5; }
  .plot .labels rect { fill: transparent; }
  .plot .labels rect:hover { fill: var(--text); opacity: 0.08; }
  .spark .bars, .plot .bars { stroke: none; }
  .spark .ahead, .plot .ahead { stroke: var(--soft); stroke-dasharray: 5 4; }
  .spark .ahead.early, .plot .ahead.early { stroke: var(--down); }
  .bars.s0, i.s0 { fill: var(--s0); background: var(--s0); }
  .bars.s1, i.s1 { fill: var(--s1); background: var(--s1); }
  .bars.s2, i.s2 { fill: var(--s2); background: var(--s2); }
  .bars.s3, i.s3 { fill: var(--s3); background: var(--s3); }
  .bars.s4, i.s4 { fill: var(--s4); background: var(--s4); }
  .bars.rest, i.rest { fill: var(--s5); background: var(--s5); }
  .legend { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; font-size: 13px; }
  .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; }
  .legend .before { height: 2px; margin-bottom: 4px; background: var(--text); }
  .windows {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(min(480px, 100%), 1fr)); gap: 16px;
    margin: 8px 0 12px;
  }
  .windows .card { margin: 0; min-width: 0; }
  .note, .more { margin-top: 10px; }
  .hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }
  .view { display: flex; flex-wrap: wrap; align-items: end; gap: 10px 16px; }
  .view label { color: var(--soft); font-size: 13px; }
  .view input, .view select, .view button {
    display: block; max-width: 100%; height: 34px; padding: 4px 8px; border: 1px solid var(--soft); border-radius: 6px;
    background: var(--card); color: var(--text); font: inherit; font-size: 15px;
  }
  .view a { padding: 6px 0; }
  .view-note { margin: 0 0 12px; }
  .pages { margin-top: 10px; }
  footer { margin-top: 20px; }
  @media (min-width: 1180px) {
    .wide > .scroll { overflow: visible; }
    .wide { width: fit-content; min-width: 100%; }
    thead th {
      position: sticky; top: 0; z-index: 1; background: var(--card); box-shadow: 0 1px var(--line);
    }
  }
  @media (max-width: 700px) {
    body { padding: 18px 12px; }
    .card { padding: 14px; }
    .summary { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
    .summary dd { font-size: 22px; }
    thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    table, caption, tbody { display: block; }
    tr {
      display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 6px 16px; padding: 12px 0;
      border-top: 1px solid var(--line);
    }
    th, td { min-width: 0; max-width: none; padding: 0; border-top: 0; white-space: normal; }
    tbody th, .full, .why, .over { grid-column: 1 / -1; }
    .number { text-align: left; }
    td:empty { display: none; }
    .spark { margin-left: 0; }
    .plot { margin-left: 44px; }
    td[data-label]::before {
      content: attr(data-label); display: block; color: var(--soft); font-size: 13px; font-weight: 400;
    }
    nav { flex-wrap: wrap; }
    .view label { flex: 1 1 40%; }
    .view input, .view select { width: 100%; }
  }
  @media print {
    :root {
      color-scheme: light; --ground: #ffffff; --text: #000000; --soft: #444b55; --link: #000000;
    }
    * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    @page { size: landscape; margin: 12mm; }
    body { max-width: none; padding: 0; font-size: 11px; }
    nav, .view { display: none; }
    .wide { width: auto; min-width: 0; }
    .scroll { overflow: visible; }
    th, td { padding: 4px 6px; }
    thead th { position: static; box-shadow: none; }
    thead { display: table-header-group; }
    tr, .summary .card, .attention li, article { break-inside: avoid; }
    h2, caption { break-after: avoid; }
    .windows .card { break-inside: avoid; }
    .bar, tbody th { min-width: 90px; }
  }
</style>`);

/** The icon of the page's tab: three bars, the last one nearly full. */
export const ICON = new Html(
  `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f55b0"/><path d="M9 24v-6M16 24v-11M23 24v-16" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>`,
  )}" />`,
);
