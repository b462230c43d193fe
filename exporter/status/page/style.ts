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
    --stopped: #8c1414; --hour: #e02d22; --day: #f08c1e; --week: #f2cf3a;
    --s0: #5878c8; --s1: #d9952b; --s2: #2c9c8c; --s3: #b65fa8; --s4: #8a9a3b; --s5: #a8b0bb;
  }
  @media screen and (prefers-color-scheme: dark) {
    :root {
      --ground: #101318; --card: #181c23; --text: #e6e9ee; --soft: #9da7b5; --line: #2a303a;
      --bar: #6f8fe0; --track: #2a303a; --up: #56c68c; --high: #e5b04c; --high-bar: #c98d2b;
      --down: #ff8a80; --link: #9db7ff; --stopped: #b32626; --hour: #ff5c4d;
      --s0: #6f8fe0; --s1: #dba24a; --s2: #3fb3a2; --s3: #c983bd; --s4: #a3b355; --s5: #66707d;
    }
  }
  * { box-sizing: border-box; }
  body {
    margin: 0 auto; max-width: 1240px; padding: 24px; background: var(--ground); color: var(--text);
    font: 15px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums;
  }
  h1, h2, p, dl, dd, ul { margin: 0; padding: 0; }
  h1 { font-size: 22px; font-weight: 650; letter-spacing: -0.01em; }
  h2 { font-size: 16px; font-weight: 650; }
  small, .soft, .note, .unknown, .waiting, footer, header p { color: var(--soft); }
  small, .note, footer { font-size: 13px; font-weight: 400; }
  code { font: 12.5px ui-monospace, monospace; }
  bdi, .message { overflow-wrap: anywhere; }
  a { color: var(--link); }
  time { white-space: nowrap; }
  .tabs { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 12px 0 18px; border-bottom: 1px solid var(--line); }
  .tabs a { padding: 6px 0; }
  .tabs [aria-current] {
    margin-bottom: -1px; border-bottom: 2px solid var(--text); color: var(--text); font-weight: 650;
    text-decoration: none;
  }
  .tabs .side { margin-left: auto; }
  .card {
    margin: 0 0 16px; padding: 16px 18px; background: var(--card); border: 1px solid var(--line);
    border-radius: 10px;
  }
  .summary, .charts { display: grid; gap: 16px; margin-bottom: 16px; }
  .summary { grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); }
  .charts { grid-template-columns: repeat(auto-fit, minmax(min(350px, 100%), 1fr)); }
  .summary .card, .charts .card { min-width: 0; margin: 0; }
  dt { color: var(--soft); font-size: 13px; }
  dd { overflow-wrap: anywhere; font-size: 26px; font-weight: 600; letter-spacing: -0.01em; }
  dd > .soft { font-size: 16px; font-weight: 400; }
  dd small { display: block; letter-spacing: 0; }
  dd small small { display: inline; }
  .state { white-space: nowrap; }
  .up span { color: var(--up); }
  .down { color: var(--down); font-weight: 550; }
  span.high { color: var(--high); font-weight: 550; }
  .state:is(.stopped, .hour, .day, .week) {
    padding: 2px 7px; border-radius: 5px; background: var(--day); color: #1c2128; font-size: 13px; font-weight: 600;
  }
  .state.stopped { background: var(--stopped); color: #ffffff; }
  .state.hour { background: var(--hour); color: #000000; }
  .state.week { background: var(--week); }
  .attention ul { margin-top: 8px; list-style: none; }
  .attention li {
    display: grid; grid-template-columns: 160px 205px 1fr; gap: 2px 16px; align-items: baseline;
    padding: 8px 0 8px 12px; border-top: 1px solid var(--line); border-left: 4px solid var(--day);
  }
  .attention .stopped { border-left-color: var(--stopped); }
  .attention .hour { border-left-color: var(--hour); }
  .attention .week { border-left-color: var(--week); }
  .attention small > span { display: block; color: var(--text); overflow-wrap: anywhere; }
  .scroll { overflow-x: auto; }
  table { width: 100%; border-collapse: collapse; }
  caption { padding-bottom: 8px; text-align: left; }
  th, td {
    padding: 8px 9px; border-top: 1px solid var(--line); text-align: left; vertical-align: top;
    white-space: nowrap;
  }
  thead th { color: var(--soft); font-size: 13px; font-weight: 500; border-top: 0; }
  tbody th { min-width: 164px; max-width: 260px; font-weight: 550; white-space: normal; }
  .rest th { color: var(--soft); font-weight: 400; }
  th:first-child { padding-left: 0; }
  th:last-child, td:last-child { padding-right: 0; }
  .number { text-align: right; }
  .text { min-width: 130px; max-width: 420px; white-space: normal; overflow-wrap: anywhere; }
  td small, th small { display: block; }
  small.inline { display: inline; }
  small.of { display: flex; justify-content: space-between; gap: 14px; }
  .of b { font-weight: 400; }
  .of.high b { color: var(--high); font-weight: 600; }
  .of.full b { color: var(--down); font-weight: 600; }
  .bar {
    display: block; min-width: 112px; height: 6px; margin: 8px 0 4px; border-radius: 3px;
    background: var(--track); overflow: hidden;
  }
  .bar i { display: block; height: 100%; background: var(--bar); }
  .bar.high i { background: var(--high-bar); }
  .bar.full i { background: var(--stopped); }
  .spark { display: block; width: 84px; height: 22px; margin: 4px 0 0 auto; overflow: visible; }
  .plot { position: relative; height: 160px; margin: 30px 22px 30px 44px; }
  .plot svg { display: block; width: 100%; height: 100%; overflow: visible; }
  .plot span, .plot b { position: absolute; font-size: 12px; line-height: 1; white-space: nowrap; }
  .plot span { color: var(--soft); }
  .plot .y { right: 100%; margin-right: 8px; transform: translateY(-50%); }
  .plot .unit { right: 100%; bottom: 100%; margin: 0 -14px 12px 0; }
  .plot .x { top: 100%; margin-top: 8px; transform: translateX(-50%); }
  .plot b { padding: 2px; border-radius: 3px; background: var(--card); transform: translate(-50%, calc(-100% - 2px)); }
  .spark path, .plot path {
    fill: none; stroke: var(--s0); stroke-width: 2; stroke-linejoin: round; vector-effect: non-scaling-stroke;
  }
  .plot .grid { stroke: var(--line); stroke-width: 1; }
  .plot .before { stroke: var(--soft); stroke-width: 1.5; }
  .plot rect { fill: transparent; }
  .plot rect:hover { fill: var(--text); opacity: 0.08; }
  .plot .bars { fill: var(--part); stroke: none; }
  .spark .ahead, .plot .ahead { stroke: var(--soft); stroke-dasharray: 5 4; }
  .spark .early, .plot .early { stroke: var(--hour); }
  .legend { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; font-size: 13px; }
  .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; background: var(--part); }
  .legend .before { height: 2px; margin-bottom: 4px; background: var(--soft); }
  .note, .more { margin-top: 10px; }
  main > .note { margin-bottom: 16px; }
  .view { display: flex; flex-wrap: wrap; align-items: end; gap: 10px 16px; }
  .view label { color: var(--soft); font-size: 13px; }
  .view input, .view select, .view button {
    display: block; max-width: 100%; height: 34px; padding: 4px 8px; border: 1px solid var(--soft); border-radius: 6px;
    background: var(--card); color: var(--text); font: inherit; font-size: 15px;
  }
  .view a { padding: 6px 0; }
  .pages { display: flex; gap: 18px; margin-top: 10px; }
  footer { margin-top: 20px; }
  @media (min-width: 1180px) {
    .scroll { overflow: visible; }
    thead th { position: sticky; top: 0; z-index: 1; background: var(--card); box-shadow: 0 1px var(--line); }
  }
  @media (max-width: 700px) {
    body { padding: 16px 10px; }
    .card { padding: 12px; }
    .summary { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
    dd { font-size: 22px; }
    .attention li { display: flex; flex-wrap: wrap; gap: 2px 10px; }
    .attention small { width: 100%; }
    .rare, .lines small, .lines code, .lines .spark { display: none; }
    .lines .state { padding: 2px 5px; font-size: 12px; }
    th, td { padding: 8px 5px; }
    tbody th { min-width: 0; }
    .lines th { max-width: 84px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .bar { min-width: 90px; }
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
    nav.tabs, .pages, .view { display: none; }
    .scroll { overflow: visible; }
    th, td { padding: 4px 6px; }
    thead th { position: static; box-shadow: none; }
    thead { display: table-header-group; }
    tr, .summary .card, .charts .card, .attention li { break-inside: avoid; }
    h2, caption { break-after: avoid; }
    .bar, tbody th { min-width: 90px; }
  }
</style>`);

/** The icon of the page's tab: three bars, the last one nearly full. */
export const ICON = new Html(
  `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f55b0"/><path d="M9 24v-6M16 24v-11M23 24v-16" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>`,
  )}" />`,
);
