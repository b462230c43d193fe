import { readReport, type Report } from "../../bench/alerts/report.ts";

/** A report in alertsim's format, without the rows that the parser ignores. */
export function report(
  figures: { foreseeable: number; critical: string; warnings: string },
  change = (text: string) => text,
): Report {
  const { foreseeable, critical, warnings } = figures;
  return readReport(
    change(`Detection. exh = exhaustions

| class            | keys |  F  | >=1h ours | crit15 ours | >=1h predict-linear |
|------------------|-----:|----:|----------:|------------:|--------------------:|
| diurnal-exhausts |    2 |  50 |     100.0 |        98.0 |                95.0 |
| weekday-exhausts |    3 |  30 |      96.7 |       100.0 |                95.0 |
| bursty-safe      |    2 |   0 |         - |           - |                   - |
| TOTAL            |    7 |  80 |     100.0 |        99.0 |                95.0 |

Noise. fc, fw = false episodes

| class            | keys | fc ours | fc predict-linear | fw ours | fw predict-linear |
|------------------|-----:|--------:|------------------:|--------:|------------------:|
| diurnal-exhausts |    2 |   125.0 |             200.0 |    30.0 |             300.0 |
| weekday-exhausts |    3 |     0.0 |             200.0 |    30.0 |             300.0 |
| bursty-safe      |    2 |     0.0 |             200.0 |   400.0 |             300.0 |
| TOTAL            |    7 |     4.0 |             180.0 |   119.0 |             523.0 |

Totals per rule set

|                                 |        ours |     predict-linear |
|---------------------------------|------------:|------------:|
| foreseeable exhaustions         | ${foreseeable} | ${foreseeable} |
| warned >= 1 h ahead, %          |       100.0 |        95.0 |
| critical >= 15 min ahead, %     |        99.0 |        97.0 |
| lead median / p10, h            |   6.2 / 2.8 |   5.6 / 3.2 |
| foreseeable, never announced    |           0 |           3 |
| false critical / 100 key-months | ${critical} |       180.0 |
| false warning / 100 key-months  | ${warnings} |       523.0 |
| episodes per exhaustion (flaps) | 2.30 (0.15) | 2.70 (0.60) |

ours: worst late (0 keys)
`),
  );
}
