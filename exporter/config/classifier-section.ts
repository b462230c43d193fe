import { list, pattern, read, section, UUID } from "./field.ts";

/** The classifier of a query: its tags divide the usage. */
export const classifierSection = section({
  id: read("a UUID", "UUID", (written) => (UUID.test(written) ? written.toLowerCase() : undefined)).describe(
    "Identifier of the classifier at the gateway.",
  ),
  dimensions: list(dimension())
    .min(1, "is an empty list; name one or two dimensions")
    .max(2, "has more than two dimensions")
    .describe("One or two dimensions of its tags. They become labels."),
});

/** The name of a dimension, which becomes a label. */
export function dimension() {
  return pattern(/^[a-z][a-z0-9_]{0,62}$/, "dimension");
}
