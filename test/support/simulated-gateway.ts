import { onTestFinished } from "vitest";
import { createGateway, type GatewayOptions } from "../gateway/gateway.ts";

/** Starts a simulated gateway that runs until the test has finished. By default its world is empty and its clock shows noon. */
export async function startSimulatedGateway(options: GatewayOptions = {}) {
  const at = options.startAt ?? Date.UTC(2026, 10, 18, 12);
  const gateway = createGateway({ now: () => at, startAt: at, ...options });
  await gateway.start();
  onTestFinished(() => gateway.stop());
  return gateway;
}
