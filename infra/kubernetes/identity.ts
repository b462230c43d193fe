import type { Input } from "@pulumi/pulumi";

/** What the objects of one deployment have in common. */
export interface Identity {
  /** Of the deployment: first part of every object's name. */
  readonly name: string;
  readonly namespace: Input<string>;
}

/** The job of the scrapes is made of this label; rules name it. */
export const JOB_LABEL = "app.kubernetes.io/name";
const JOB = "aigateway-exporter";

/** What selects the pod, and what never changes: a Deployment's selector cannot. */
export function selectorOf({ name }: Identity): Record<string, string> {
  return { [JOB_LABEL]: JOB, "app.kubernetes.io/instance": name };
}

interface Extra {
  /** Follows the deployment's name in the object's. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Metadata of an object. Labels are `app.kubernetes.io/*` only: scrape jobs that map labels of pods would rename ours if one was
 * called app, key or model.
 */
export function metadataOf(identity: Identity, { suffix, labels, annotations }: Extra = {}) {
  return {
    name: suffix === undefined ? identity.name : `${identity.name}-${suffix}`,
    namespace: identity.namespace,
    labels: { ...commonLabels(identity), ...labels },
    annotations: { ...REPAIRED, ...annotations },
  };
}

export function commonLabels(identity: Identity): Record<string, string> {
  return {
    ...selectorOf(identity),
    "app.kubernetes.io/component": "exporter",
    "app.kubernetes.io/part-of": JOB,
    "app.kubernetes.io/managed-by": "pulumi",
  };
}

/** A field that was edited by hand is a conflict of server-side apply, unless `up` may take it back. */
export const REPAIRED = { "pulumi.com/patchForce": "true" };
