import { accountCollector } from "./account.ts";
import { analyticsCollector } from "./analytics.ts";
import type { Collector } from "./collector.ts";
import { discoveryCollector } from "./discovery.ts";
import { historyCollector } from "./history.ts";
import { keyCollector } from "./key.ts";
import { unwatchedCollector } from "./unwatched.ts";

/** Every collector: to add one, write its file, add a line here, and test it. */
export const collectors: readonly Collector[] = [
  keyCollector,
  analyticsCollector,
  accountCollector,
  discoveryCollector,
  unwatchedCollector,
  historyCollector,
];
