import { defaultWorkspace, type Route } from "../entities.ts";

export const dimensionNames = [
  "model",
  "app",
  "api_key_id",
  "user",
  "workspace",
  "variant",
  "provider",
  "origin",
  "country",
  "finish_reason",
  "external_user",
  "context_length_bucket",
  "data_region",
  "streamed",
] as const;
export type DimensionName = (typeof dimensionNames)[number];

type Facts = {
  readonly label: string;
  /** Reaches back 31 days instead of 367. */
  readonly isShort?: true;
  readonly of: (route: Route) => Member;
};

/** Rows show the label; filters use the id (2.1). Null is the unset bucket. */
export type Member = { readonly id: string | number; readonly label: string } | null;

export const dimensionTable: Readonly<Record<DimensionName, Facts>> = {
  model: { label: "Model", of: ({ model }) => model },
  app: { label: "App", of: ({ app }) => (app === null ? null : { id: app.id, label: app.title }) },
  api_key_id: {
    label: "API key",
    of: ({ key }) => (key.keyless ? null : { id: key.id, label: key.title }),
  },
  user: { label: "User", of: ({ user }) => user },
  // Earlier activity without a workspace belongs to the default one.
  workspace: { label: "Workspace", of: ({ workspace }) => workspace ?? defaultWorkspace },
  variant: { label: "Variant", of: ({ model }) => plain(model.free ? "free" : "standard") },
  provider: { label: "Provider", isShort: true, of: ({ provider }) => plain(provider) },
  origin: { label: "Origin", isShort: true, of: ({ origin }) => plain(origin) },
  country: { label: "Country", isShort: true, of: ({ country }) => plain(country) },
  finish_reason: { label: "Finish reason", isShort: true, of: ({ finishReason }) => plain(finishReason) },
  external_user: { label: "External user", isShort: true, of: ({ externalUser }) => plain(externalUser) },
  context_length_bucket: {
    label: "Context length",
    isShort: true,
    of: ({ contextLengthBucket }) => plain(contextLengthBucket),
  },
  data_region: { label: "Data region", isShort: true, of: ({ dataRegion }) => plain(dataRegion) },
  streamed: { label: "Streamed", isShort: true, of: ({ streamed }) => plain(String(streamed)) },
};

/** Listed in the meta. The simulation does not number its calls, so a query for them is a 400. */
export const unboundedDimensions = {
  generation_id: { label: "Generation" },
  session_id: { label: "Session" },
};

/** The dimensions with an unset bucket that `include_unset` can add. */
export const dimensionsWithUnset: readonly DimensionName[] = ["app", "user", "api_key_id"];

export function memberOf(dimension: DimensionName, route: Route): Member {
  return dimensionTable[dimension].of(route);
}

function plain(value: string | null): Member {
  return value === null ? null : { id: value, label: value };
}
