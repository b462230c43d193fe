/** The one part of undici that is used; its index loads fetch, web sockets, caches and mocks, too. */
declare module "undici/lib/dispatcher/pool.js" {
  import type { Pool } from "undici";

  const pool: typeof Pool;
  export = pool;
}
