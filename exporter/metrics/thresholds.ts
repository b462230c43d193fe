/** Values are repeated for this many intervals after the last good answer, then they are withdrawn. */
export const INTERVALS_TO_LIVE = 3;

/** With at most this share left, a limit or a budget is nearly used up: on the status page, on dashboards and in alerts. */
export const LOW_SHARE = 0.1;
