{{- /* The name of every object: the release, or the release and the alias of a dependency. A StatefulSet's name has room for a hash. */ -}}
{{- define "aigateway-exporter.name" -}}
{{- $alias := ternary "" .Chart.Name .Chart.IsRoot -}}
{{- $suffix := .Values.nameOverride | default $alias | trunc 30 -}}
{{- $base := trunc (int (ternary 52 (sub 51 (len $suffix)) (empty $suffix))) .Release.Name | trimSuffix "-" -}}
{{- $name := .Values.fullnameOverride | default (ternary $base (printf "%s-%s" $base $suffix) (empty $suffix)) -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]{0,50}[a-z0-9])?$" $name) -}}
{{- fail (printf "Cannot name objects %q: a name begins with a letter, ends with a letter or a digit, and has at most 52 of a-z, 0-9 and -; set fullnameOverride" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- define "aigateway-exporter.service-account" -}}
{{- $account := .Values.serviceAccount | default dict -}}
{{- $account.name | default (ternary "default" (include "aigateway-exporter.name" .) (eq (toString $account.create) "false")) -}}
{{- end -}}

{{- /* One map of texts out of several: later ones win, null removes. */ -}}
{{- define "aigateway-exporter.texts" -}}
{{- $all := dict -}}
{{- range . -}}
{{- range $name, $value := . -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $all $name -}}
{{- else -}}
{{- $_ := set $all $name (ternary $value (toJson $value) (kindIs "string" $value)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}

{{- define "aigateway-exporter.selector" -}}
app.kubernetes.io/name: aigateway-exporter
app.kubernetes.io/instance: {{ include "aigateway-exporter.name" . | toJson }}
{{- end -}}

{{- define "aigateway-exporter.labels" -}}
{{ include "aigateway-exporter.selector" . }}
app.kubernetes.io/component: exporter
app.kubernetes.io/part-of: aigateway-exporter
app.kubernetes.io/managed-by: Helm
{{- end -}}

{{- /* Parameters: the context, and a dict with suffix, namespace, labels and annotations of the object. */ -}}
{{- define "aigateway-exporter.metadata" -}}
{{- $context := index . 0 -}}
{{- $own := index . 1 -}}
name: {{ printf "%s%s" (include "aigateway-exporter.name" $context) ($own.suffix | default "") | toJson }}
namespace: {{ $own.namespace | default $context.Release.Namespace | toJson }}
labels:
  {{- include "aigateway-exporter.texts" (list $context.Values.commonLabels $own.labels (include "aigateway-exporter.labels" $context | fromYaml)) | nindent 2 }}
{{- with $own.annotations }}
annotations:
  {{- include "aigateway-exporter.texts" (list .) | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* Entries of a pod's or a monitor's list of names, as texts or as objects. */ -}}
{{- define "aigateway-exporter.pull-secrets" -}}
{{- $names := list -}}
{{- range . -}}
{{- $names = append $names (ternary (dict "name" .) . (kindIs "string" .)) -}}
{{- end -}}
{{- toYaml (uniq $names) -}}
{{- end -}}

{{- define "aigateway-exporter.config" -}}
{{- $config := deepCopy .Values.exporter -}}
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

{{- /* The ports of the gateway and of proxies, which may have no scheme. */ -}}
{{- define "aigateway-exporter.ports" -}}
{{- $urls := list .Values.exporter.gateway.base_url -}}
{{- range $name, $value := .Values.environment -}}
{{- if and (regexMatch "(?i)^https?_proxy$" $name) (trim $value) -}}
{{- $urls = append $urls (trim $value) -}}
{{- end -}}
{{- end -}}
{{- $ports := list -}}
{{- range $urls -}}
{{- $port := regexReplaceAll "^(?:[A-Za-z]+://)?[^/]*?(?::([0-9]+))?(?:/.*)?$" . "${1}" -}}
{{- $ports = append $ports ($port | default (ternary "443" "80" (regexMatch "(?i)^https://" .))) -}}
{{- end -}}
{{- range uniq $ports }}
- port: {{ . }}
  protocol: TCP
{{- end -}}
{{- end -}}

{{- define "aigateway-exporter.endpoint" -}}
{{- $own := .Values.monitorEndpoint | default dict -}}
{{- $endpoint := merge (omit $own "relabelings") (dict "port" "metrics" "path" "/metrics" "interval" .Values.scrapeInterval) -}}
{{- $relabelings := default list $own.relabelings -}}
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
{{- if $values.alerts -}}
{{- $text = include "aigateway-exporter.changedRules" (dict "text" $text "alerts" $values.alerts) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{- /* The rules with the changes of alerts. */ -}}
{{- define "aigateway-exporter.changedRules" -}}
{{- $groups := list -}}
{{- range $group := (fromYaml .text).groups -}}
{{- $rules := list -}}
{{- range $rule := $group.rules -}}
{{- $change := dict -}}
{{- if $rule.alert -}}{{- $change = get $.alerts $rule.alert | default dict -}}{{- end -}}
{{- if ne (toString $change.enabled) "false" -}}
{{- with $change.labels -}}{{- $_ := set $rule "labels" (include "aigateway-exporter.texts" (list $rule.labels .) | fromYaml) -}}{{- end -}}
{{- with $change.severity -}}{{- $_ := set $rule.labels "severity" . -}}{{- end -}}
{{- with $change.annotations -}}{{- $_ := set $rule "annotations" (include "aigateway-exporter.texts" (list $rule.annotations .) | fromYaml) -}}{{- end -}}
{{- with $change.for -}}{{- $_ := set $rule "for" . -}}{{- end -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- if $rules -}}{{- $groups = append $groups (set $group "rules" $rules) -}}{{- end -}}
{{- end -}}
{{- toYaml (dict "groups" $groups) -}}
{{- end -}}

{{- /* The number of pods. */ -}}
{{- define "aigateway-exporter.pods" -}}
{{- mul (int .Values.shards) (int .Values.replicas) -}}
{{- end -}}

{{- define "aigateway-exporter.probe" -}}
{{- $values := index . 0 -}}
{{- if or $values.webConfigSecret $values.tlsSecret }}
tcpSocket:
  port: metrics
{{- else }}
httpGet:
  path: {{ index . 1 }}
  port: metrics
{{- end }}
timeoutSeconds: 5
failureThreshold: 3
{{- end -}}

{{- define "aigateway-exporter.pod" -}}
{{- $values := .Values -}}
{{- $several := gt (int (include "aigateway-exporter.pods" .)) 1 -}}
{{- $scraped := dict "prometheus.io/scrape" "true" "prometheus.io/port" "9853" "prometheus.io/path" "/metrics" -}}
metadata:
  labels:
    {{- $gateway := ternary (dict "gateway" $values.gateway) dict (not (empty $values.gateway)) }}
    {{- include "aigateway-exporter.texts" (list $values.commonLabels $values.podLabels $gateway (include "aigateway-exporter.labels" . | fromYaml)) | nindent 4 }}
  annotations:
    {{- include "aigateway-exporter.texts" (list $values.podAnnotations (ternary $scraped dict (eq $values.scrape "annotations"))) | nindent 4 }}
spec:
  serviceAccountName: {{ include "aigateway-exporter.service-account" . | toJson }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 10
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- include "aigateway-exporter.pull-secrets" . | nindent 4 }}
  {{- end }}
  {{- with $values.podSecurityContext }}
  securityContext:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- include "aigateway-exporter.texts" (list .) | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClass }}
  priorityClassName: {{ toJson . }}
  {{- end }}
  {{- if $values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml $values.topologySpreadConstraints | nindent 4 }}
  {{- else if $several }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "aigateway-exporter.selector" . | nindent 10 }}
  {{- end }}
  {{- with $values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: exporter
      image: {{ toJson $values.image }}
      {{- with $values.imagePullPolicy }}
      imagePullPolicy: {{ toJson . }}
      {{- end }}
      args:
        - --config.file=/etc/aigateway-exporter/config.yaml
        - --config.auto-reload-interval=5s
        - --web.listen-address=:9853
        - --log.level={{ $values.logLevel }}
        {{- if $values.webConfigSecret }}
        - --web.config.file=/etc/aigateway-exporter-web/web-config.yaml
        {{- else if $values.tlsSecret }}
        - --web.config.file=/etc/aigateway-exporter/web-config.yaml
        {{- end }}
        {{- range $values.extraArgs }}
        - {{ toJson . }}
        {{- end }}
      {{- $env := list }}
      {{- if $several }}
      {{- $env = append $env (dict "name" "AIGATEWAY_EXPORTER_POD_INDEX" "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.labels['apps.kubernetes.io/pod-index']"))) }}
      {{- $env = append $env (dict "name" "AIGATEWAY_EXPORTER_POD_NAME" "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.name"))) }}
      {{- end }}
      {{- $variables := dict }}
      {{- if $values.caConfigMap }}
      {{- $_ := set $variables "NODE_EXTRA_CA_CERTS" "/etc/aigateway-exporter-ca/ca.crt" }}
      {{- end }}
      {{- $variables = mergeOverwrite $variables ($values.environment | default dict) }}
      {{- range $values.extraEnv }}
      {{- $_ := unset $variables .name }}
      {{- end }}
      {{- range $name, $value := $variables }}
      {{- $env = append $env (dict "name" $name "value" $value) }}
      {{- end }}
      {{- with concat $env ($values.extraEnv | default list) }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.environmentSecret }}
      envFrom:
        - secretRef:
            name: {{ toJson . }}
      {{- end }}
      ports:
        - name: metrics
          containerPort: 9853
          protocol: TCP
      {{- with $values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.securityContext }}
      securityContext:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      livenessProbe:
        {{- include "aigateway-exporter.probe" (list $values "/-/healthy") | nindent 8 }}
        periodSeconds: 10
      readinessProbe:
        {{- include "aigateway-exporter.probe" (list $values "/-/ready") | nindent 8 }}
        periodSeconds: 5
      volumeMounts:
        - name: config
          mountPath: /etc/aigateway-exporter
          readOnly: true
        {{- if $values.caConfigMap }}
        - name: ca
          mountPath: /etc/aigateway-exporter-ca
          readOnly: true
        {{- end }}
        {{- range include "aigateway-exporter.secrets" . | fromYamlArray }}
        - name: {{ .name }}
          mountPath: {{ .path }}
          readOnly: true
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "aigateway-exporter.name" . | toJson }}
    {{- with $values.caConfigMap }}
    - name: ca
      configMap:
        name: {{ toJson . }}
    {{- end }}
    {{- range include "aigateway-exporter.secrets" . | fromYamlArray }}
    - name: {{ .name }}
      secret:
        secretName: {{ toJson .secret }}
        defaultMode: 288
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- /* The mounted Secrets, with the names of their volumes. */ -}}
{{- define "aigateway-exporter.secrets" -}}
{{- $all := list -}}
{{- with .Values.webConfigSecret -}}
{{- $all = append $all (dict "name" "web" "secret" . "path" "/etc/aigateway-exporter-web") -}}
{{- end -}}
{{- with .Values.tlsSecret -}}
{{- $all = append $all (dict "name" "tls" "secret" . "path" "/etc/aigateway-exporter-tls") -}}
{{- end -}}
{{- with .Values.keysSecret -}}
{{- $all = append $all (dict "name" "keys" "secret" . "path" "/run/secrets/aigateway/keys") -}}
{{- end -}}
{{- with .Values.managementSecret -}}
{{- $all = append $all (dict "name" "management" "secret" . "path" "/run/secrets/aigateway/management") -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}
