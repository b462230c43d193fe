import { stringify } from "yaml";
import type { Manifest } from "../infra/kubernetes/manifests.ts";

/** YAML of an object with every placeholder replaced by its template. */
export function templateOf(manifest: Manifest): string {
  const replacements: readonly (readonly [RegExp, string])[] = [
    // A release may be named true or 123, which is no text in YAML without quotes.
    [/(?<=: )RELEASE$/gm, "{{ toJson $.Release.Name }}"],
    [/RELEASE/g, "{{ $.Release.Name }}"],
    [/^( *)["']?\$\(spread\)["']?: (.*)$/gm, "{{- with $2 }}\n{{ toYaml . | SPACES$1END }}\n{{- end }}"],
    [/["']?\$\((\.[^)]*)\)["']?/g, "{{ toJson $1 }}"],
    [
      /^( *)imagePullSecrets:\n *- name: PULL\n/m,
      "{{- with .Values.imagePullSecrets }}\n$1imagePullSecrets:\n{{- range . }}\n$1  - name: {{ toJson . }}\n{{- end }}\n{{- end }}\n",
    ],
    [
      /^( *)tolerations:\n *- key: TOLERATION\n/m,
      "{{- with .Values.tolerations }}\n$1tolerations: {{ toJson . }}\n{{- end }}\n",
    ],
    [/^ *priorityClassName: .*\n/m, "{{- if .Values.priorityClass }}\n$&{{- end }}\n"],
    [/^ *envFrom:\n *- secretRef:\n.*\n/m, "{{- if .Values.environmentSecret }}\n$&{{- end }}\n"],
    // A StatefulSet always has variables.
    [
      /^ *env:\n(?= *- name: NODE_EXTRA_CA_CERTS\n)/m,
      "{{- if or .Values.caConfigMap .Values.environment }}\n$&{{- end }}\n",
    ],
    [/^ *- name: NODE_EXTRA_CA_CERTS\n.*\n/m, "{{- if .Values.caConfigMap }}\n$&{{- end }}\n"],
    [
      /^( *)- name: VARIABLE\n.*\n/m,
      "{{- range $name, $value := .Values.environment }}\n$1- name: {{ toJson $name }}\n$1  value: {{ toJson $value }}\n{{- end }}\n",
    ],
    [/^( +)- name: ca\n(?:\1 .*\n)+/gm, "{{- if .Values.caConfigMap }}\n$&{{- end }}\n"],
    [/^ *- --web\.config\.file=.*\n/m, "{{- if .Values.webConfigSecret }}\n$&{{- end }}\n"],
    [/^( +)- name: web\n(?:\1 .*\n)+/gm, "{{- if .Values.webConfigSecret }}\n$&{{- end }}\n"],
    probeOf("liveness", "/-/healthy"),
    probeOf("readiness", "/-/ready"),
    [/^( *replicas: )10$/m, `$1{{ ${PODS.replaceAll("$", "$$$$")} }}`],
    [/--log\.level=info/, "--log.level={{ .Values.logLevel }}"],
    [/^( *)gateway: GATEWAY\n/gm, "{{- with .Values.gateway }}\n$1gateway: {{ toJson . }}\n{{- end }}\n"],
    [
      /^( *)(endpoints|podMetricsEndpoints):\n(?:\1 .*\n)+/m,
      '$1$2:\n{{ include "aigateway-exporter.endpoint" . | indent 4 }}\n',
    ],
    [/^( *config\.yaml: )CONFIG$/m, '$1|-\n{{ include "aigateway-exporter.config" . | indent 4 }}'],
    [/^((?: +prometheus\.io\/.*\n)+)/m, '{{- if eq .Values.scrape "annotations" }}\n$1{{- end }}\n'],
    [/^( +)- name: keys\n(?:\1 .*\n)+/gm, "{{- if .Values.keysSecret }}\n$&{{- end }}\n"],
    [/^( +)- name: management\n(?:\1 .*\n)+/gm, "{{- if .Values.managementSecret }}\n$&{{- end }}\n"],
    [
      new RegExp(`^ *- port: ${GATEWAY_PORT}\\n.*\\n`, "m"),
      '{{ include "aigateway-exporter.ports" . | trim | indent 8 }}\n',
    ],
    [/^ {2}groups: \[\]$/m, '{{ include "aigateway-exporter.rules" . | indent 2 }}'],
    [
      /^( *aigateway-exporter\.rules\.yaml: )[^]*$/m,
      '$1|\n{{ include "aigateway-exporter.rules" . | indent 4 }}\n',
    ],
    [/^( *UID\.json: )DASHBOARD$/m, "$1|\n{{ $.Files.Get $path | indent 4 }}"],
    [/^ *annotations: \{\}\n/gm, ""],
    [/(?<=[\s(])\.(Values|Release)/g, "$$.$1"],
  ];
  const text = replacements.reduce(
    (current, [pattern, template]) => current.replaceAll(new RegExp(pattern, withAll(pattern)), template),
    stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false }),
  );
  return text.replaceAll(/SPACES( *)END/g, (_, spaces: string) => `indent ${spaces.length}`);
}

/** The number of pods, as an expression. */
export const PODS = "(mul (int $.Values.shards) (int $.Values.replicas))";

/** A placeholder port that occurs nowhere else in the templates. */
export const GATEWAY_PORT = 65_001;

/** With a web configuration a probe only connects. */
function probeOf(name: "liveness" | "readiness", path: string): readonly [RegExp, string] {
  return [
    new RegExp(`^( *${name}Probe:\\n)( *)tcpSocket:\\n( *)port: (.*)\\n`, "m"),
    `$1{{- if .Values.webConfigSecret }}\n$2tcpSocket:\n$3port: $4\n{{- else }}\n$2httpGet:\n$3path: ${path}\n$3port: $4\n{{- end }}\n`,
  ];
}

function withAll({ flags }: RegExp): string {
  return flags.includes("g") ? flags : `${flags}g`;
}
