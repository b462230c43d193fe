import type { Input } from "@pulumi/pulumi";
import { JOB } from "../../dashboards/rules/settings.ts";

/** The properties that all objects of one deployment share. */
export interface Identity {
  /** Name of the deployment, and the first part of every object's name. */
  readonly name: string;
  readonly namespace: Input<string>;
}

/** The pod label whose value becomes the scrape job, which the rules refer to. */
export const JOB_LABEL = "app.kubernetes.io/name";

/** The labels that select the pod. They never change, because a Deployment's selector is immutable. */
export function selectorOf({ name }: Identity): Record<string, string> {
  return { [JOB_LABEL]: JOB, "app.kubernetes.io/instance": name };
}

interface Extra {
  /** Suffix of the object's name, after the deployment's name. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Metadata of an object. All labels are `app.kubernetes.io/*`: a pod label named app, key or model would collide with a metric's
 * label in scrape jobs that map pod labels.
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

/** Lets `pulumi up` overwrite fields that were edited by hand; server-side apply would report a conflict. */
export const REPAIRED = { "pulumi.com/patchForce": "true" };
