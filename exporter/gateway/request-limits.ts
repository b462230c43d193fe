import type { GatewayConfig } from "../config/config.ts";
import type { Endpoint } from "./port.ts";

/** Requests per minute of each endpoint; 0 is unlimited. Transcriptions have their own schedules and spend limit. */
export function requestLimits({
  requestsPerMinute,
}: Pick<GatewayConfig, "requestsPerMinute">): Readonly<Record<Endpoint, number>> {
  return { key: requestsPerMinute, analytics: ANALYTICS_PER_MINUTE, transcription: 0 };
}

/** The rate that the analytics endpoint accepts without refusals (observed-behaviour 8). */
const ANALYTICS_PER_MINUTE = 60;
