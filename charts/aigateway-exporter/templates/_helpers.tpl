{{- define "aigateway-exporter.config" -}}
{{- $config := deepCopy .Values.exporter -}}
{{- if hasKey $config "shards" -}}
{{- fail "exporter.shards: is set by the value shards; remove it" -}}
{{- end -}}
{{- if .Values.keysSecret -}}
{{- $keys := list -}}
{{- range $config.keys -}}
{{- $file := printf "/run/secrets/aigateway/keys/%s" .name -}}
{{- $keys = append $keys (set (omit . "api_key_env") "api_key_file" $file) -}}
{{- end -}}
{{- if $keys -}}
{{- $_ := set $config "keys" $keys -}}
{{- else -}}
{{- $_ := set $config "keys_dir" "/run/secrets/aigateway/keys" -}}
{{- end -}}
{{- end -}}
{{- if gt (int .Values.shards) 1 -}}
{{- $_ := set $config "shards" (int .Values.shards) -}}
{{- end -}}
{{- if .Values.managementSecret -}}
{{- $analytics := omit (default dict $config.analytics) "management_key_env" -}}
{{- $_ := set $config "analytics" (set $analytics "management_key_file" "/run/secrets/aigateway/management/management-key") -}}
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
{{- $endpoint := merge (omit .Values.monitorEndpoint "relabelings") (dict "port" "metrics" "path" "/metrics" "interval" .Values.scrapeInterval) -}}
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
{{- $text = replace "https://runbooks.chart.invalid" $values.runbookBaseUrl $text -}}
{{- else -}}
{{- $text = regexReplaceAll "(?m)^ *runbook_url: .*\n" $text "" -}}
{{- end -}}
{{- if $values.dashboardBaseUrl -}}
{{- $text = replace "https://dashboards.chart.invalid" $values.dashboardBaseUrl $text -}}
{{- else -}}
{{- $text = regexReplaceAll "(?m)^ *dashboard_url: .*\n" $text "" -}}
{{- end -}}
{{- $text -}}
{{- end -}}
