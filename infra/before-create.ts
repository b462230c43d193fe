import { ResourceHook, runtime, type ResourceHookArgs, type ResourceTransformation } from "@pulumi/pulumi";

/**
 * Runs a check before a resource of some types is created, at preview as well. An error of the check refuses
 * the resource; the check never runs for resources that the stack has. `types`: how their types begin.
 */
export function beforeCreate(
  name: string,
  types: string,
  check: (resource: ResourceHookArgs) => Promise<void>,
): ResourceTransformation {
  if (!hasHooks()) return () => undefined;
  const hook = new ResourceHook(name, check, { onDryRun: true });
  return ({ type, props, opts }) =>
    type.startsWith(types) ? { props, opts: { ...opts, hooks: { beforeCreate: [hook] } } } : undefined;
}

/** The SDK's mocks accept no hooks, although they report that they do. */
function hasHooks(): boolean {
  return "registerResourceHook" in (runtime.getMonitor() ?? {});
}
