/** Values are repeated for this many intervals after the last good answer and then withdrawn. */
export const INTERVALS_TO_LIVE = 3;

/**
 * A limit or a budget with at most this share left is nearly used up: on the status page, on dashboards and in
 * alerts.
 */
export const LOW_SHARE = 0.1;
