import { PORT_NAME } from "../infra/kubernetes/pod.ts";
import { KEYS_PATH, MANAGEMENT_ENTRY, MANAGEMENT_PATH } from "../infra/exporter-config.ts";

/**
 * Placeholders for links in the chart's rules. A template replaces them by the links of the values, or
 * removes them.
 */
export const CHART_LINKS = {
  runbookBaseUrl: "https://runbooks.chart.invalid",
  dashboardBaseUrl: "https://dashboards.chart.invalid",
};

/**
 * The chart's named templates: the configuration as infra/exporter-config.ts composes it for existing
 * Secrets, the ports of the gateway and of proxies, the endpoint of a monitor, and rules with the links of
 * the values.
 */
export const NAMED_TEMPLATES = `{{- define "aigateway-exporter.config" -}}
{{- $config := deepCopy .Values.exporter -}}
{{- if hasKey $config "shards" -}}
{{- fail "exporter.shards: is set by the value shards; remove it" -}}
{{- end -}}
{{- if .Values.keysSecret -}}
{{- $keys := list -}}
{{- range $config.keys -}}
{{- $file := printf "${KEYS_PATH}/%s" .name -}}
{{- $keys = append $keys (set (omit . "api_key_env") "api_key_file" $file) -}}
{{- end -}}
{{- if $keys -}}
{{- $_ := set $config "keys" $keys -}}
{{- else -}}
{{- $_ := set $config "keys_dir" "${KEYS_PATH}" -}}
{{- end -}}
{{- end -}}
{{- if gt (int .Values.shards) 1 -}}
{{- $_ := set $config "shards" (int .Values.shards) -}}
{{- end -}}
{{- if .Values.managementSecret -}}
{{- $analytics := omit (default dict $config.analytics) "management_key_env" -}}
{{- $_ := set $config "analytics" (set $analytics "management_key_file" "${MANAGEMENT_PATH}/${MANAGEMENT_ENTRY}") -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{- define "aigateway-exporter.ports" -}}
{{- $urls := list .Values.exporter.gateway.base_url -}}
{{- range $name, $value := .Values.environment -}}
{{- if and (regexMatch "(?i)^https?_proxy$" $name) (regexMatch "^https?://" $value) -}}
{{- $urls = append $urls $value -}}
{{- end -}}
{{- end -}}
{{- $ports := list -}}
{{- range $urls -}}
{{- $url := urlParse . -}}
{{- $ports = append $ports (regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "443" "80" (eq $url.scheme "https"))) -}}
{{- end -}}
{{- range uniq $ports }}
- port: {{ . }}
  protocol: TCP
{{- end -}}
{{- end -}}

{{- define "aigateway-exporter.endpoint" -}}
{{- $endpoint := merge (omit .Values.monitorEndpoint "relabelings") (dict "port" "${PORT_NAME}" "path" "/metrics" "interval" .Values.scrapeInterval) -}}
{{- $relabelings := default list .Values.monitorEndpoint.relabelings -}}
{{- if .Values.gateway -}}
{{- $relabelings = prepend $relabelings (dict "targetLabel" "gateway" "replacement" .Values.gateway) -}}
{{- end -}}
{{- if $relabelings -}}
{{- $_ := set $endpoint "relabelings" $relabelings -}}
{{- end -}}
{{- toYaml (list $endpoint) -}}
{{- end -}}

{{- define "aigateway-exporter.rules" -}}
{{- $values := .Values -}}
{{- $text := .Files.Get "files/rules.yaml" -}}
{{- if $values.runbookBaseUrl -}}
{{- $text = replace "${CHART_LINKS.runbookBaseUrl}" $values.runbookBaseUrl $text -}}
{{- else -}}
{{- $text = regexReplaceAll "(?m)^ *runbook_url: .*\\n" $text "" -}}
{{- end -}}
{{- if $values.dashboardBaseUrl -}}
{{- $text = replace "${CHART_LINKS.dashboardBaseUrl}" $values.dashboardBaseUrl $text -}}
{{- else -}}
{{- $text = regexReplaceAll "(?m)^ *dashboard_url: .*\\n" $text "" -}}
{{- end -}}
{{- $text -}}
{{- end -}}
`;
