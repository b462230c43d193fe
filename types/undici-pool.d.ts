/**
 * The only part of undici that the exporter uses without a proxy. Its index also loads fetch, web sockets, caches and
 * mocks, which costs 30 ms and 9 MB at each start (measured with Node 22.23).
 */
declare module "undici/lib/dispatcher/pool.js" {
  import type { Pool } from "undici";

  const pool: typeof Pool;
  export = pool;
}

/** The connector of a pool. */
declare module "undici/lib/core/connect.js" {
  import type { buildConnector } from "undici";

  const build: typeof buildConnector;
  export = build;
}
