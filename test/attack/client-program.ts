import { clientAttacks } from "./client/attacks.ts";
import { report, seedOfProgram, takeOrders } from "./messages.ts";
import { createRandom } from "./random.ts";
import { createStrikes } from "./strikes.ts";

// The hostile clients, in their own process.
const random = createRandom(seedOfProgram());
const struck = createStrikes();
const running = new Map<string, AbortController>();
let url: URL | undefined;

takeOrders((order) => {
  if (order.type === "target") url = new URL(order.url);
  else {
    running.get(order.lane)?.abort();
    begin(order.lane, order.kind);
  }
});
report({ type: "listening", address: "" });

function begin(lane: string, kind: string | undefined): void {
  const attack = kind === undefined ? undefined : clientAttacks.get(kind);
  if (kind === undefined || !attack || !url) return;
  const aborter = new AbortController();
  running.set(lane, aborter);
  void attack({
    host: url.hostname,
    port: Number(url.port),
    random,
    signal: aborter.signal,
    struck: (seen) => struck(lane, kind, seen),
  });
}
