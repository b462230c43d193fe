import { type Answer, jsonAnswer } from "../answer.ts";
import { requireManagement } from "../auth.ts";
import type { Call, Context } from "../context.ts";
import { wrong } from "../fields.ts";

/** GET /workspaces: one page of the workspaces of the account. */
export function answerWorkspaces({ world }: Context, call: Call): Answer {
  requireManagement(call.key);
  const { offset = "0", limit = "50" } = Object.fromEntries(call.parameters);
  if (!/^\d{1,9}$/u.test(offset)) throw wrong("offset", offset, "an integer of at least 0");
  if (!/^[1-9]\d?$|^100$/u.test(limit)) throw wrong("limit", limit, "an integer from 1 to 100");
  const all = [...world.workspaces.values()].map(({ id, label }) => ({ id, name: label }));
  const data = all.slice(Number(offset), Number(offset) + Number(limit));
  return jsonAnswer({ data, total_count: all.length });
}
