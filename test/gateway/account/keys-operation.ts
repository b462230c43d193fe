import { type Answer, jsonAnswer } from "../answer.ts";
import { type Call, type Context, requireManagement } from "../context.ts";
import { defaultWorkspace, type Key, type Workspace } from "../entities.ts";
import { isUuid, wrong } from "../fields.ts";
import { keyBook } from "../key-book.ts";
import { keyFigures, maskedToken, resetText, staleTime } from "../key-operation.ts";
import { Refusal } from "../refusal.ts";
import type { Switches } from "../switches.ts";
import { listedKeys } from "./account-books.ts";

/** GET /keys: one page of the keys of one workspace, from the books at the time of the gateway's clock. */
export function answerKeys(context: Context, call: Call): Answer {
  requireManagement(call.key);
  const { switches, world } = context;
  const { includeDisabled, includeExpired, offset, workspaceId } = readParameters(call.parameters, switches);
  const now = context.clock.now();
  const isShown = (key: Key) =>
    (includeDisabled || !key.disabled) && (includeExpired || key.expiresAt === null || key.expiresAt > now);
  const keys = listedKeys(world, call.key.account, switches.keysOrder)
    .filter((key) => key.workspace.id === workspaceId && isShown(key))
    .slice(offset, offset + switches.keysPerPage);
  return jsonAnswer({ data: keys.map((key) => keyRow(context, key)) });
}

/** GET /keys/{hash}: one row, of any workspace, disabled or not. */
export function answerKeyByHash(context: Context, call: Call): Answer {
  requireManagement(call.key);
  const hash = call.path.slice("/keys/".length);
  const keys = listedKeys(context.world, call.key.account, "oldest_first");
  const key = keys.find((candidate) => candidate.hash === hash);
  if (key === undefined) throw new Refusal(404, "API key not found");
  return jsonAnswer({ data: keyRow(context, key) });
}

function readParameters(parameters: URLSearchParams, { expiredKeys }: Switches) {
  const {
    include_disabled: disabled = "false",
    include_expired: expired,
    offset = "0",
    workspace_id: workspace,
    ...others
  } = Object.fromEntries(parameters);
  for (const name of Object.keys(others)) throw new Refusal(400, `Unknown parameter "${name}"`);
  if (expiredKeys === "parameter_refused" && expired !== undefined)
    throw new Refusal(400, 'Unknown parameter "include_expired"');
  if (disabled !== "true" && disabled !== "false") throw wrong("include_disabled", disabled, "true or false");
  if (!/^\d{1,9}$/u.test(offset)) throw wrong("offset", offset, "an integer of at least 0");
  if (workspace !== undefined && !isUuid(workspace))
    throw wrong("workspace_id", workspace, "a workspace UUID");
  return {
    includeDisabled: disabled === "true",
    includeExpired: expiredKeys !== "on_demand" || expired === "true",
    offset: Number(offset),
    workspaceId: workspace?.toLowerCase() ?? defaultWorkspace.id,
  };
}

function keyRow(context: Context, key: Key): Record<string, unknown> {
  const { switches, ledger, clock } = context;
  const now = clock.now();
  const windowsAt = staleTime(now, switches.staleAfterMidnightMs);
  const { credits, limitReset } = keyBook(ledger, key, Math.min(windowsAt, now - switches.lagMs), windowsAt);
  const row: Record<string, unknown> = {
    hash: key.hash,
    name: key.title,
    label: maskedToken(key),
    disabled: key.disabled,
    ...keyFigures(credits, switches),
    limit_reset: resetText(limitReset, switches),
    include_byok_in_limit: key.includeByokInLimit,
    created_at: timeText(key.createdAt, switches),
    updated_at: timeText(key.updatedAt, switches),
    expires_at: timeText(key.expiresAt, switches),
    creator_user_id: key.creator,
    workspace_id: key.workspace.id,
    external_user: key.externalUser,
    ...(switches.extraKeyFields && { last_used_at: timeText(ledger.lastUsedAt(key, now), switches) }),
  };
  for (const field of switches.missingKeyFields) delete row[field];
  return row;
}

/** 2026-11-21T00:00:00.000Z or 2026-11-21T00:00:00.000000+00:00. */
function timeText(at: number | null, switches: Switches): string | null {
  if (at === null) return null;
  const text = new Date(at).toISOString();
  return switches.keyTimes === "z" ? text : text.replace("Z", "000+00:00");
}

/** GET /workspaces: one page of the workspaces of the account. */
export function answerWorkspaces({ world }: Context, call: Call): Answer {
  requireManagement(call.key);
  const { offset = "0", limit = "50" } = Object.fromEntries(call.parameters);
  if (!/^\d{1,9}$/u.test(offset)) throw wrong("offset", offset, "an integer of at least 0");
  if (!/^[1-9]\d?$|^100$/u.test(limit)) throw wrong("limit", limit, "an integer from 1 to 100");
  const all = [...world.workspaces.values()].map(workspaceRow);
  const data = all.slice(Number(offset), Number(offset) + Number(limit));
  return jsonAnswer({ data, total_count: all.length });
}

function workspaceRow({ id, label }: Workspace): Record<string, unknown> {
  return {
    id,
    name: label,
    slug: label,
    description: null,
    created_at: STARTED,
    created_by: null,
    updated_at: null,
    default_guardrail_id: id,
    default_image_model: null,
    default_provider_sort: null,
    default_text_model: null,
    io_logging_api_key_ids: null,
    io_logging_sampling_rate: 1,
    is_data_discount_logging_enabled: false,
    is_observability_broadcast_enabled: false,
    is_observability_io_logging_enabled: false,
  };
}

const STARTED = "2026-01-01T00:00:00Z";

/** GET /workspaces/{id}/budgets: the limits of the budgets of one workspace, without their spend. */
export function answerWorkspaceBudgets({ world }: Context, call: Call): Answer {
  requireManagement(call.key);
  const id = call.path.split("/").at(-2) ?? "";
  if (!world.workspaces.has(id)) throw new Refusal(404, "Workspace not found");
  const budgets = [...world.keys.values()]
    .filter(({ workspace }) => workspace.id === id)
    .flatMap((key) => key.budgets.filter(({ scope }) => scope === "workspace"));
  const data = [...new Map(budgets.map((budget) => [budget.id, budget])).values()].map((budget) => ({
    id: budget.id,
    workspace_id: id,
    limit_usd: budget.micros / 1e6,
    reset_interval: budget.reset,
    created_at: STARTED,
    updated_at: STARTED,
  }));
  return jsonAnswer({ data, include_byok_in_budgets: budgets.some(({ includeByok }) => includeByok) });
}
