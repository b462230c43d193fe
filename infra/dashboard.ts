/** A dashboard of Grafana as both parts of the deployment take it. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  /** As Grafana stores it, so that nothing differs at the next `up`. */
  readonly json: string;
}
