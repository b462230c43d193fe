import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createKeyChanges } from "./account/key-changes.ts";
import { addMovement, type NewMovement } from "./account/movements.ts";
import { createBooks } from "./books.ts";
import { createControl } from "./control.ts";
import { createClock } from "./clock.ts";
import type { Context } from "./context.ts";
import { mainAccount } from "./entities.ts";
import { createFaults } from "./faults.ts";
import { createLedger } from "./ledger.ts";
import { createRequestLog } from "./request-log.ts";
import { basePath, createGatewayServer, type Hooks } from "./server.ts";
import { seedWorld } from "./simulation/seeded-world.ts";
import { createTraffic } from "./simulation/traffic.ts";
import { createSpend } from "./spend.ts";
import { createSwitches, type Switches } from "./switches.ts";
import { HOUR } from "./windows.ts";
import { createManners } from "./transcription/manner.ts";
import { createWorld, type NewKey } from "./world.ts";

export type GatewayOptions = {
  /** The source of the gateway's clock, by default the system's clock. */
  now?: () => number;
  /** Initial time of the gateway's clock. */
  startAt?: number;
  switches?: Partial<Switches>;
  /** The seeded world. Without keys it is empty: only `spend` adds entries. */
  seed?: number;
  keys?: number;
  models?: number;
  apps?: number;
  /** Of ten keys or more, one has limit 0, one is disabled and one has expired (default true). */
  troubled?: boolean;
  historyDays?: number;
  /** Length of the slots in which the traffic of the history is created: an hour by default. */
  historySlotMs?: number;
};

export type Gateway = ReturnType<typeof createGateway>;

/** The simulated gateway: the contract over HTTP, with exact books, a clock, faults and switches. */
export function createGateway(options: GatewayOptions = {}) {
  const clock = createClock(options.now ?? Date.now);
  if (options.startAt !== undefined) clock.set(options.startAt);
  const world = createWorld();
  const management = world.addKey({ name: "management", management: true, createdAt: clock.now() });
  const ledger = createLedger();
  const switches = createSwitches(options.switches);
  const context: Context = {
    clock,
    world,
    ledger,
    switches,
    manners: createManners(),
    transcriptions: [],
    counters: { callsPerMinute: new Map(), freeCallsPerMinute: new Map(), analyticsAnswers: 0 },
  };
  const faults = createFaults();
  const log = createRequestLog();
  const hooks: Hooks = { beforeAnswer: null, afterQuery: null };
  let stopping = new AbortController();
  const seeded = { ...seedDefaults, ...options, startAt: clock.now() };
  const traffic = createTraffic(ledger, switches, seedWorld(world, seeded), seeded);
  const advance = (): void => traffic.advanceTo(clock.now());
  const tokens = new Map([...world.keys.values()].map((key) => [key.name, key.token]));
  tokens.delete(management.name);
  const controls = {
    clock,
    switches,
    faults,
    log,
    tokens,
    managementToken: management.token,
    manners: context.manners,
    books: createBooks(context, advance),
    spend: createSpend(world, ledger, clock.now, advance),
    addKey: (key: NewKey): string => {
      const { name, token, keyless } = world.addKey({ createdAt: clock.now(), ...key });
      if (!keyless) tokens.set(name, token);
      return token;
    },
    ...createKeyChanges(world, clock.now),
    moveCredits: ({ at = clock.now(), account = mainAccount, ...movement }: NewMovement): void =>
      addMovement(world.account(account), { at, ...movement }),
  };
  const parts = { context, faults, hooks, log, advance, control: createControl(controls) };
  const server = createGatewayServer(parts, () => stopping.signal);

  /** Listens on 127.0.0.1; port 0 selects a free port. Can be started again after a stop, to simulate an outage. */
  async function start(port = 0): Promise<void> {
    stopping = new AbortController();
    advance();
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  }

  async function stop(): Promise<void> {
    stopping.abort();
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  return {
    ...controls,
    start,
    stop,
    world,
    hooks,
    get url(): string {
      return `http://127.0.0.1:${portOf(server.address())}${basePath}`;
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") {
    throw new Error("Cannot return the URL of the simulated gateway: it is not started");
  }
  return address.port;
}

const seedDefaults = {
  seed: 1,
  keys: 0,
  models: 24,
  apps: 12,
  troubled: true,
  historyDays: 0,
  historySlotMs: HOUR,
};

/** Why the simulated gateway cannot start, and what to do. */
export function startProblem(error: unknown, port: number): string {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `Cannot listen on 127.0.0.1:${port}: the port is in use. Stop the program that uses it, or choose another port with --port`;
  }
  return `Cannot start the simulated gateway: ${messageOf(error)}`;
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
