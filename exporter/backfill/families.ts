import { gauge } from "../metrics/family.ts";

/** Marks the samples that a backfill wrote. The running exporter does not have it. */
export const backfillFamilies = {
  interpolation: gauge({
    name: "aigateway_backfill_interpolation_seconds",
    help: "Length of the hours or days over which a backfill spread the amounts of the gateway evenly, 3600 or 86400.",
    labels: [],
    absent: "the exporter itself was running",
  }),
};
