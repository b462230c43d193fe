import { parse } from "yaml";
import { z } from "zod";

/** The example configuration of Alertmanager, adapted for a test. */
export interface FastExample {
  readonly config: object;
  /** The receivers of each team that has a route, including those of nested routes. */
  readonly receiversOfTeam: ReadonlyMap<string, readonly string[]>;
  /** Longest time until a change of a group is notified, milliseconds. */
  readonly groupIntervalMs: number;
}

export interface FastExampleOptions {
  /** Factor of all times to wait. */
  readonly scale: number;
  /** Every receiver becomes a webhook with its own name as path. */
  readonly webhookUrl: string;
}

/**
 * Routes, grouping and inhibition are those of the file. Firing alerts are repeated at every evaluation of their group, so an
 * alert without notifications is inhibited, rather than notified before.
 */
export function fastExample(text: string, { scale, webhookUrl }: FastExampleOptions): FastExample {
  const example = Config.parse(parse(text));
  const { route, receivers } = example;
  return {
    config: {
      ...example,
      route: { ...DEFAULT_WAITS, ...faster(DEFAULT_WAITS, scale), ...fastRoute(route, scale) },
      receivers: receivers.map(({ name }) => ({
        name,
        webhook_configs: [{ url: `${webhookUrl}/${encodeURIComponent(name)}` }],
      })),
    },
    receiversOfTeam: new Map(teamRoutes(route).map((own) => [teamOf(own) ?? "", receiversBelow(own)])),
    groupIntervalMs: milliseconds(route.group_interval ?? DEFAULT_WAITS.group_interval) * scale,
  };
}

/** The teams that have their own route. */
export function teamsOfExample(text: string): readonly string[] {
  return teamRoutes(Config.parse(parse(text)).route).map((route) => teamOf(route) ?? "");
}

const Route = z.looseObject({
  receiver: z.string().optional(),
  matchers: z.array(z.string()).optional(),
  group_wait: z.string().optional(),
  group_interval: z.string().optional(),
  get routes() {
    return z.array(Route).optional();
  },
});
type Route = z.output<typeof Route>;

const Config = z.looseObject({
  route: Route,
  receivers: z.array(z.looseObject({ name: z.string() })),
});

/** Alertmanager's own. */
const DEFAULT_WAITS = { group_wait: "30s", group_interval: "5m" };

interface Waits {
  readonly group_wait?: string | undefined;
  readonly group_interval?: string | undefined;
}

function fastRoute(route: Route, scale: number): object {
  return {
    ...route,
    ...faster(route, scale),
    repeat_interval: "1ms",
    routes: (route.routes ?? []).map((below) => fastRoute(below, scale)),
  };
}

function faster({ group_wait: wait, group_interval: interval }: Waits, scale: number): Waits {
  const scaled = (text: string): string => `${Math.max(1, Math.round(milliseconds(text) * scale))}ms`;
  return {
    ...(wait === undefined ? {} : { group_wait: scaled(wait) }),
    ...(interval === undefined ? {} : { group_interval: scaled(interval) }),
  };
}

function teamRoutes(route: Route): readonly Route[] {
  return teamOf(route) === undefined ? (route.routes ?? []).flatMap(teamRoutes) : [route];
}

/** The only team that takes a route. */
function teamOf({ matchers = [] }: Route): string | undefined {
  return matchers
    .map((matcher) => /^\s*team\s*=\s*"?([^"~]+?)"?\s*$/.exec(matcher)?.[1])
    .find((team) => team !== undefined);
}

function receiversBelow({ receiver, routes = [] }: Route): readonly string[] {
  return [...(receiver === undefined ? [] : [receiver]), ...routes.flatMap(receiversBelow)];
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration as Prometheus writes it, `1h30m`. */
function milliseconds(text: string): number {
  const parts = [...text.matchAll(/(\d+)(ms|[smhd])/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? Number.NaN), 0);
}
