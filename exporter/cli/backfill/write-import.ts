import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { type BackfillPlan, daysToKeep, type PastFormat } from "../../backfill/plan.ts";
import { SCRIPT_NAME, writeWhole } from "../../backfill/state-file.ts";
import { backfillFamilies, SUFFIXES } from "../../backfill/write-days.ts";
import { keyFamilies } from "../../collectors/key-families.ts";
import { utcText } from "../../time/utc-time.ts";

/**
 * Writes the script that imports the files of a backfill. Returns what a person should read. Nothing is imported here.
 * `url`: the server, without a password; undefined: the usual one of the format.
 */
export async function writeImport(
  plan: BackfillPlan,
  folder: string,
  files: number,
  url: string | undefined,
): Promise<string> {
  const path = join(folder, SCRIPT_NAME);
  const { script, advice, usualUrl } = IMPORTS[plan.format];
  await writeWhole(path, [script(plan)]);
  await chmod(path, 0o755);
  return `${files} files are in "${folder}".${gaps(plan)}${advice(path, daysToKeep(plan), url ?? usualUrl)}\n`;
}

function gaps({ problems }: BackfillPlan): string {
  if (problems.length === 0) return " ";
  return ` They are incomplete:
${problems.map((problem) => `- ${problem}\n`).join("")}Solve this and run the same command again before the import, which is possible only once.\n`;
}

interface Import {
  /** The text of the script. */
  readonly script: (plan: BackfillPlan) => string;
  /** How a person runs it, and what the server needs. */
  readonly advice: (script: string, days: number, url: string) => string;
  readonly usualUrl: string;
}

const IMPORTS: Readonly<Record<PastFormat, Import>> = {
  openmetrics: {
    usualUrl: "http://localhost:9090",
    script: prometheusScript,
    advice: (script, days, url) => `Import them on the machine of Prometheus, as its user:
  ${script} DATA_FOLDER ${url}
DATA_FOLDER is its --storage.tsdb.path. The script needs promtool and curl.
Prometheus must keep ${days} days (--storage.tsdb.retention.time=${days}d or more). By default it keeps 15, and deletes older blocks at once.`,
  },
  "victoria-metrics": {
    usualUrl: "http://localhost:8428",
    script: victoriaMetricsScript,
    advice: (script, days, url) => `Import them:
  ${script} ${url}
The script needs curl. VictoriaMetrics must keep ${days} days (-retentionPeriod=${days}d or more).`,
  },
  "remote-write": {
    usualUrl: "http://localhost:9090",
    script: remoteWriteScript,
    advice: (script, days, url) => `Push them:
  ${script} ${url}
The script needs promtool and curl. The server must take remote write (--web.enable-remote-write-receiver) with samples of ${days} days ago (storage.tsdb.out_of_order_time_window: ${days}d in its configuration), and keep them.`,
  },
};

/** Makes blocks and moves them into the data folder of a running Prometheus. */
function prometheusScript(plan: BackfillPlan): string {
  const days = daysToKeep(plan);
  return `#!/bin/sh
# Imports the past that aigateway-exporter backfill wrote into a running Prometheus.
# Usage: import.sh DATA_FOLDER URL. Run it as the user of Prometheus; it needs promtool and curl.
# CHECK=no skips the checks of the retention and of samples that exist already, and DAYS selects files.
set -eu
data=$(cd "\${1:?the folder of --storage.tsdb.path}" && pwd)
url=\${2:?the URL of Prometheus, such as http://localhost:9090}
cd "$(dirname "$0")"

# "15d", "10GiB", or "15d or 10GiB".
kept=$(curl --silent --show-error --fail "$url/api/v1/status/runtimeinfo" | sed -n 's/.*"storageRetention":"\\([^"]*\\)".*/\\1/p')
retention=\${kept%% *}
case $retention in
  *B) keeps=${days} ;;
  *y) keeps=$((\${retention%y} * 365)) ;;
  *w) keeps=$((\${retention%w} * 7)) ;;
  *d*) keeps=\${retention%%d*} ;;
  *h) keeps=$((\${retention%h} / 24)) ;;
  *) keeps=0 ;;
esac
case $keeps in *[!0-9]*) keeps=0 ;; esac
if [ "\${CHECK:-yes}" = yes ] && [ "$keeps" -lt ${days} ]; then
  echo "Prometheus keeps \${kept:-an unknown time} (--storage.tsdb.retention.time) and would delete what is older: set ${days}d or more. CHECK=no imports nevertheless" >&2
  exit 1
fi

${known(plan, "Prometheus")}${warnings(plan)}
# Blocks that are moved into the data folder as a whole are loaded within a minute.
import() {
  for block in blocks/*/; do
    if [ -d "$block" ]; then mv "$block" "$data/"; fi
  done
}

rm -rf blocks
mkdir blocks
for day in \${DAYS-*.om}; do
  echo "$day"
  promtool tsdb create-blocks-from openmetrics "$day" blocks > blocks.log 2>&1 || { cat blocks.log >&2; exit 1; }
  import
done
rm -rf blocks blocks.log
`;
}

/** Sends the files to a running VictoriaMetrics. */
function victoriaMetricsScript(plan: BackfillPlan): string {
  return `#!/bin/sh
# Imports the past that aigateway-exporter backfill wrote into a running VictoriaMetrics.
# Usage: import.sh URL. It needs curl.
# CHECK=no skips the check of samples that exist already, PATIENCE sets the seconds to wait until new samples can be
# queried, and DAYS selects files.
set -eu
url=\${1:?the URL of VictoriaMetrics, such as http://localhost:8428}
cd "$(dirname "$0")"

${known(plan, "VictoriaMetrics")}${warnings(plan)}
# VictoriaMetrics silently drops what is older than its retention.
${stored(plan, "VictoriaMetrics", "set -retentionPeriod so that it keeps these days")}
first=yes
for day in \${DAYS-*.${SUFFIXES["victoria-metrics"]}}; do
  echo "$day"
  curl --silent --show-error --fail --request POST --upload-file "$day" "$url/api/v1/import/prometheus"
  if [ "$first" = yes ]; then stored "$day"; first=no; fi
done
# Cached answers do not have the past.
curl --silent --show-error --fail "$url/internal/resetRollupResultCache"
`;
}

/** Pushes the files to a server that takes remote write and old samples. */
function remoteWriteScript(plan: BackfillPlan): string {
  return `#!/bin/sh
# Imports the past that aigateway-exporter backfill wrote by remote write.
# Usage: import.sh URL. It needs promtool (2.46 or later) and curl.
# CHECK=no skips the check of samples that exist already, PATIENCE sets the seconds to wait until new samples can be
# queried, DAYS selects files, and PUSH has further flags of promtool, such as --http.config.file=FILE.
set -eu
url=\${1:?the URL of the server, such as http://localhost:9090}
cd "$(dirname "$0")"

${known(plan, "The server")}${warnings(plan)}
${stored(plan, "The server", "set storage.tsdb.out_of_order_time_window and the retention so that it takes these days")}
for day in \${DAYS-*.${SUFFIXES["remote-write"]}}; do
  echo "$day"
  # One request for each piece.
  rm -rf pieces
  mkdir pieces
  split -l 20000 "$day" pieces/
  promtool push metrics --label=job=${shellText(plan.job)} \${PUSH-} "$url" pieces/* > push.log 2>&1 || { cat push.log >&2; exit 1; }
  stored "$day"
done
rm -rf pieces push.log
`;
}

/** A function of the shell that fails unless the last sample of a file can be queried. */
function stored({ target }: BackfillPlan, server: string, advice: string): string {
  const query = `query=count(last_over_time(${backfillFamilies.interpolation.name}{${target}}[1h]))`;
  return `stored() {
  last=$(tail -n 1 "$1")
  for second in $(seq "\${PATIENCE:-60}"); do
    found=$(curl --silent --show-error --fail --get --data-urlencode ${shellText(query)} --data nocache=1 --data time=$((\${last##* } / 1000)) "$url/api/v1/query")
    case $found in *'"result":[]'*) sleep 1 ;; *) return ;; esac
  done
  echo "${server} has not stored $1: ${advice}" >&2
  exit 1
}
`;
}

/** Refuses to mix the past with samples that exist already. */
function known({ target, startMs, untilMs, plannedAtMs }: BackfillPlan, server: string): string {
  const end = untilMs / 1000;
  const query = `query=count(last_over_time(${keyFamilies.usage.name}{${target}}[${daysToKeep({ startMs, plannedAtMs })}d]))`;
  return `known=$(curl --silent --show-error --fail --get --data-urlencode ${shellText(query)} --data time=${end - 1} "$url/api/v1/query")
case $known in
  *'"result":[]'*) ;;
  *) if [ "\${CHECK:-yes}" = yes ]; then
    echo "${server} already has samples of these series from before ${utcText(untilMs)}, which would mix with the imported ones: write the past again with --until, in another folder. CHECK=no imports nevertheless" >&2
    exit 1
  fi ;;
esac
`;
}

/** What is missing is shown, but imported nevertheless. Some shells change the backslashes that echo prints. */
function warnings({ problems }: BackfillPlan): string {
  return problems.map((problem) => `printf '%s\\n' ${shellText(`warning: ${problem}`)} >&2\n`).join("");
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
