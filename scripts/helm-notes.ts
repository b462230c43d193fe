import { DEFAULT_PORT } from "../exporter/config/schema.ts";
import { PODS } from "./helm-template.ts";

/** What `helm install` and `helm upgrade` print: how to see that the exporter works, and what Prometheus needs. */
export const NOTES = `{{- $name := .Release.Name -}}
{{- $labels := list -}}
{{- range $label, $value := .Values.monitorLabels -}}
{{- $labels = append $labels (printf "%s=%v" $label $value) -}}
{{- end -}}
{{- $several := gt ${PODS} 1 -}}
The exporter is the {{ ternary "StatefulSet" "Deployment" $several }} "{{ $name }}" in the namespace "{{ .Release.Namespace }}".
{{- if not (or .Values.keysSecret .Values.managementSecret .Values.environmentSecret) }}

The values name no Secret with keys (keysSecret, managementSecret). The exporter needs at least one key.
{{- end }}

To see the status page{{ if $several }} of the first of {{ ${PODS} }} pods{{ end }}:
  kubectl --namespace {{ .Release.Namespace }} port-forward {{ if $several }}pod/{{ $name }}-0{{ else }}deployment/{{ $name }}{{ end }} ${DEFAULT_PORT}
Then open http://localhost:${DEFAULT_PORT}. The metrics are at /metrics.
{{- with .Values.webConfigSecret }}
With TLS in the web configuration (the Secret "{{ . }}"), write https.
{{- end }}

{{ if eq .Values.scrape "annotations" -}}
Prometheus must have a job that scrapes pods with the annotation prometheus.io/scrape (docs/deploy.md).
{{- else if eq .Values.scrape "none" -}}
Prometheus must have a job for the pods with the label app.kubernetes.io/instance={{ $name }}, port ${DEFAULT_PORT}, path /metrics (docs/deploy.md).
With the Prometheus operator, set scrape to serviceMonitor or podMonitor instead.
{{- else -}}
Prometheus scrapes the exporter if it selects the {{ ternary "ServiceMonitor" "PodMonitor" (eq .Values.scrape "serviceMonitor") }} "{{ $name }}" by its labels
{{- if $labels }}, such as {{ join ", " $labels }}{{ end }} (monitorLabels).
{{- end }}
{{- if .Values.webConfigSecret }}
{{- if or (eq .Values.scrape "serviceMonitor") (eq .Values.scrape "podMonitor") }}
Its scrapes use the scheme and the credentials of monitorEndpoint, which must fit the web configuration.
{{- else }}
The job needs the scheme and the credentials that the web configuration requires.
{{- end }}
{{- end }}
{{- if and .Values.networkPolicy .Values.scrapeFrom }}
The network policy admits only namespaces with the labels of scrapeFrom.
{{- end }}

{{ if eq .Values.rules "prometheusRule" -}}
The rules are in the PrometheusRule "{{ $name }}". Prometheus loads them if it selects it by its labels
{{- if $labels }}, such as {{ join ", " $labels }}{{ end }} (monitorLabels).
{{- else if eq .Values.rules "configMap" -}}
The rules are in the ConfigMap "{{ $name }}-rules". Mount it into Prometheus, and name its file in rule_files.
{{- else -}}
No rules are deployed. The command "aigateway-exporter rules" prints them.
{{- end }}
`;
