/** With at most this share left, a limit or a budget is nearly used up: on the status page, on dashboards and in alerts. */
export const LOW_SHARE = 0.1;
