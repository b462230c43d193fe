import { type Answer, jsonAnswer } from "../answer.ts";
import { requireManagement } from "../auth.ts";
import type { Call, Context } from "../context.ts";
import { balanceBook } from "./balance-book.ts";

/** GET /credits: bought and spent in all. An ordinary key gets two zeros or 403, as configured by the switch. */
export function answerCredits(context: Context, call: Call): Answer {
  const { switches, ledger, clock } = context;
  if (!call.key.management && switches.ordinaryCredits === "zeros") {
    return jsonAnswer({ data: { total_credits: 0, total_usage: 0 } });
  }
  requireManagement(call.key);
  const { credits } = balanceBook(ledger, call.key.account, clock.now() - switches.lagMs);
  return jsonAnswer({ data: { total_credits: credits.bought, total_usage: credits.spent } });
}
