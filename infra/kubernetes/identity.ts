import { getProject, getStack } from "@pulumi/pulumi";
import { JOB } from "../../dashboards/rules/settings.ts";

/** The properties that all objects of one deployment share. */
export interface Identity {
  /** Name of the deployment, and the first part of every object's name. */
  readonly name: string;
  readonly namespace: string;
  /** Value of the target label `gateway`; empty if series have none. */
  readonly gateway: string;
  /** Further labels of every object. */
  readonly labels: Readonly<Record<string, string>>;
  /** The mark of the stack that creates the objects, for their annotation; undefined for manifests. */
  readonly stack: string | undefined;
}

/** The pod label whose value becomes the scrape job, which the rules refer to. */
export const JOB_LABEL = "app.kubernetes.io/name";

/** The labels that select the pod. They never change, because a Deployment's selector is immutable. */
export function selectorOf({ name }: Pick<Identity, "name">): Record<string, string> {
  return { [JOB_LABEL]: JOB, "app.kubernetes.io/instance": name };
}

interface Extra {
  /** Suffix of the object's name, after the deployment's name. */
  readonly suffix?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Metadata of an object. All labels are `app.kubernetes.io/*`, except the pod's `gateway`: a pod label
 * named app, key or model would collide with a metric's label in scrape jobs that map pod labels.
 */
export function metadataOf(identity: Identity, { suffix, namespace, labels, annotations }: Extra = {}) {
  return {
    name: suffix === undefined ? identity.name : `${identity.name}-${suffix}`,
    namespace: namespace || identity.namespace,
    labels: { ...identity.labels, ...labels, ...commonLabels(identity) },
    annotations: { ...commonAnnotations(identity), ...annotations },
  };
}

export function commonLabels(identity: Pick<Identity, "name">): Record<string, string> {
  return {
    ...selectorOf(identity),
    "app.kubernetes.io/component": "exporter",
    "app.kubernetes.io/part-of": JOB,
    "app.kubernetes.io/managed-by": "pulumi",
  };
}

/** Names the stack that created an object. */
export const STACK_ANNOTATION = "aigateway-exporter/stack";

/** Shows whether somebody else changed an object. */
export const CONTENT_ANNOTATION = "aigateway-exporter/content";

/** How an annotation names the running stack. `id`: from its state, because another state may have a stack of the same name. */
export function stackMark(id: string): string {
  return `${getProject()}/${getStack()}/${id}`;
}

/** The setting, or by default the name of the running stack, as far as a label can contain it. */
export function gatewayOf(setting: string): string {
  const name = getStack().slice(0, LONGEST_LABEL);
  return setting || name.replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
}

const LONGEST_LABEL = 63;

export function commonAnnotations({ stack }: Pick<Identity, "stack">): Record<string, string> {
  return {
    // Lets `pulumi up` overwrite fields that were edited by hand; server-side apply would report a conflict.
    "pulumi.com/patchForce": "true",
    ...(stack === undefined ? {} : { [STACK_ANNOTATION]: stack }),
  };
}
