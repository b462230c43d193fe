import { defaultWorkspace, type Route } from "../entities.ts";

export const dimensionNames = [
  "model",
  "app",
  "api_key_id",
  "user",
  "workspace",
  "provider",
  "variant",
  "origin",
  "country",
] as const;
export type DimensionName = (typeof dimensionNames)[number];

/** Rows show the label; filters use the id (2.1). Null is the unset bucket. */
export type Member = { readonly id: string | number; readonly label: string } | null;

/** The dimensions that a call may lack. */
export const dimensionsWithUnset: readonly DimensionName[] = ["app", "user", "origin", "country"];

export function memberOf(dimension: DimensionName, route: Route): Member {
  switch (dimension) {
    case "model":
      return route.model;
    case "app":
      return route.app === null ? null : { id: route.app.id, label: route.app.title };
    case "api_key_id":
      return { id: route.key.id, label: route.key.title };
    case "user":
      return route.user;
    case "workspace":
      // Earlier activity without a workspace belongs to the default one.
      return route.workspace ?? defaultWorkspace;
    case "provider":
      return plain(route.provider);
    case "variant":
      return plain(route.model.free ? "free" : "standard");
    case "origin":
      return plain(route.origin);
    case "country":
      return plain(route.country);
  }
}

function plain(value: string | null): Member {
  return value === null ? null : { id: value, label: value };
}
