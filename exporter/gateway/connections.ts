import type { Socket } from "node:net";
// undici's index would cost 30 ms and 9 MB at each start (types/undici-pool.d.ts).
import buildConnector from "undici/lib/core/connect.js";
import Pool from "undici/lib/dispatcher/pool.js";
import type { GatewayConfig, ProxyConfig } from "../config/config.ts";

export type Connections = Pick<InstanceType<typeof Pool>, "dispatch" | "destroy">;

/** Connections to an origin, through the proxy of the configuration if it has one. */
export function connectionsTo(origin: string, config: GatewayConfig): Connections {
  const options: PoolOptions = {
    connections: config.connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: connectorOf(config),
    // Each attempt has its own limit for the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MOST_HEADER_BYTES,
  };
  return config.proxy ? connectThroughProxy(config.proxy, options, config) : new Pool(origin, options);
}

/** Idle connections are kept between the requests of a schedule. */
const KEEP_ALIVE_MS = 30_000;

/** Independent of the limit of the Node process. */
const MOST_HEADER_BYTES = 16_384;

type PoolOptions = NonNullable<ConstructorParameters<typeof Pool>[1]>;

/** Tunnels through a proxy. The agent is loaded on first use, because few exporters need it and it takes 9 MB. */
function connectThroughProxy(
  { url, login }: ProxyConfig,
  options: PoolOptions,
  { timeoutMs }: Pick<GatewayConfig, "timeoutMs">,
): Connections {
  let loading: ReturnType<typeof load> | undefined;

  async function load() {
    // Only the index gives clients the method that requests a tunnel.
    const { ProxyAgent, Pool: ProxyPool } = await import("undici");
    return new ProxyAgent({
      ...options,
      ...(login && { token: `Basic ${login.reveal()}` }),
      uri: url,
      connectTimeout: timeoutMs,
      // A proxy that accepts connections and does not answer must not occupy them for longer.
      clientFactory: (proxy, connecting) =>
        new ProxyPool(proxy, { ...connecting, headersTimeout: timeoutMs }),
    });
  }

  return {
    dispatch: (request, handler) => {
      loading ??= load();
      // A failed import is an unexpected error, which ends the process.
      void loading.then((agent) => agent.dispatch(request, handler));
      return true;
    },
    destroy: async () => (await loading)?.destroy(),
  };
}

/**
 * Connections that are read in small pieces: after headers that are too large, undici creates an error for each
 * further header of the piece, which takes 200 ms for 64 KiB.
 */
function connectorOf({ timeoutMs }: GatewayConfig): ReturnType<typeof buildConnector> {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false });
  const mayRead = createReadPace();
  return (options, callback) =>
    connect(options, (...result) => {
      const socket = result[1];
      if (socket) {
        const read = socket.read.bind(socket);
        socket.read = (size) => {
          if (socket.destroyed) return null;
          // Node calls `read(0)` to ask for more bytes; that takes none.
          if (size !== undefined) return read(size);
          const bytes = Math.min(MOST_BYTES_AT_ONCE, socket.readableLength);
          return mayRead(socket, bytes) ? read(bytes || undefined) : null;
        };
      }
      callback(...result);
    });
}

const MOST_BYTES_AT_ONCE = 8192;

/** Whether a connection may be read now. If not, it emits `readable` when it may be. */
export type ReadPace = (socket: Pick<Socket, "emit" | "destroyed">, bytes: number) => boolean;

/**
 * Connections share the number of bytes in a turn of the event loop. Otherwise dozens of endless answers make
 * each turn so long that a scrape, which needs several, takes seconds.
 */
export function createReadPace(): ReadPace {
  let left = MOST_BYTES_IN_A_TURN;
  const waiting = new Set<Parameters<ReadPace>[0]>();
  function nextTurn(): void {
    left = MOST_BYTES_IN_A_TURN;
    const ready = [...waiting];
    waiting.clear();
    for (const socket of ready) if (!socket.destroyed) socket.emit("readable");
  }
  return (socket, bytes) => {
    if (left <= 0) {
      waiting.add(socket);
      return false;
    }
    if (left === MOST_BYTES_IN_A_TURN && bytes > 0) setImmediate(nextTurn);
    left -= bytes;
    return true;
  };
}

/** Parsing takes up to 20 ns for a byte. */
export const MOST_BYTES_IN_A_TURN = 131_072;
