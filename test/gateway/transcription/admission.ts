import type { Context } from "../context.ts";
import type { Key, Model } from "../entities.ts";
import { freeRequestsPerDay, shortageOf } from "../limits.ts";
import { Refusal, type RefusalDetails } from "../refusal.ts";
import { DAY, dayStart, MINUTE } from "../windows.ts";

/** Contract section 8: free variants have 20 requests a minute. */
const FREE_REQUESTS_PER_MINUTE = 20;

/** A call that the key's running calls leave no room for may be repeated after this time. */
const IN_FLIGHT_SECONDS = 5;

/** Admits a call or refuses it: 402 without credits, 403 beyond a guardrail, 429 above the limits of free variants. */
export function admit(context: Context, key: Key, model: Model): void {
  const now = context.clock.now();
  const shortage = shortageOf(context.ledger, key, model, now);
  if (shortage === "guardrail") throw new Refusal(403, "Guardrail budget exceeded");
  if (shortage !== null) {
    const details: RefusalDetails = {};
    if (context.switches.refusalSources) details.metadata = { limit_source: shortage };
    if (shortage === "openrouter_in_flight_budget") {
      if (details.metadata) details.metadata = { ...details.metadata, reason: key.inFlightReason };
      details.retryAfterSeconds = IN_FLIGHT_SECONDS;
    }
    throw new Refusal(402, undefined, details);
  }
  if (model.free) admitFree(context, key, now);
}

/** Extra keys do not raise the limits (section 5 rule 5), so both are counted per account. */
function admitFree(context: Context, key: Key, now: number): void {
  const { counters, ledger } = context;
  const day = freeRequestsPerDay(key, now);
  if (ledger.freeRequests(key.account, now) >= day) throw tooMany(day, "day", dayStart(now) + DAY);
  const minute = Math.floor(now / MINUTE);
  const name = `${key.account.name} ${minute}`;
  const used = counters.freeCallsPerMinute.get(name) ?? 0;
  if (used >= FREE_REQUESTS_PER_MINUTE) {
    throw tooMany(FREE_REQUESTS_PER_MINUTE, "minute", (minute + 1) * MINUTE);
  }
  if (used === 0) forgetOtherMinutes(counters.freeCallsPerMinute, minute);
  counters.freeCallsPerMinute.set(name, used + 1);
}

function forgetOtherMinutes(calls: Map<string, number>, minute: number): void {
  for (const name of calls.keys()) if (!name.endsWith(` ${minute}`)) calls.delete(name);
}

function tooMany(limit: number, period: string, resetAt: number): Refusal {
  return new Refusal(429, `Rate limit exceeded: ${limit} requests to free models per ${period}`, {
    metadata: { error_type: "rate_limit_exceeded" },
    hitLimit: { limit, remaining: 0, resetAt },
  });
}
