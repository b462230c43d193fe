import { z } from "zod";
import { utcMilliseconds } from "../../time/utc-time.ts";
import type { AccountKey, AccountCredits } from "../account.ts";
import { GatewayError } from "../errors.ts";
import { known, optional, parseBody, shapeProblem, wireNumber } from "./fields.ts";
import { parseKey } from "./key.ts";

/**
 * `GET /keys`: a page of one workspace's keys, disabled ones included, and expired ones unless the service is too old to
 * know that parameter (vendor-2026-10, 3). Undefined: the default workspace.
 */
export function keysRequest(workspace: string | undefined, offset: number, withExpired: boolean) {
  const parameters = new URLSearchParams({ include_disabled: "true", offset: String(offset) });
  if (withExpired) parameters.set("include_expired", "true");
  if (workspace !== undefined) parameters.set("workspace_id", workspace);
  return { method: "GET", path: `/keys?${parameters.toString()}` } as const;
}

export interface KeyRow {
  /** Undefined: the row has no readable hash. */
  readonly hash: string | undefined;
  /** The key, or why the row cannot be read: the column's name, never its value. */
  readonly key: AccountKey | string;
}

/**
 * The rows of a page, in its order, up to 1,000 of them: those behind are the next page.
 * @throws GatewayError `bad_response` when the body is not a list.
 */
export function parseKeyRows(body: unknown, action: string): readonly KeyRow[] {
  return parseBody(PageBody, body, action)
    .data.slice(0, MOST_ROWS)
    .map((row) => {
      const identity = Identity.safeParse(row);
      if (!identity.success) return { hash: undefined, key: shapeProblem(identity.error) };
      const { hash } = identity.data;
      return { hash, key: keyOf(identity.data, row) };
    });
}

function keyOf(identity: z.infer<typeof Identity>, row: unknown): AccountKey | string {
  try {
    return {
      hash: identity.hash,
      name: identity.name ?? "",
      disabled: identity.disabled,
      createdAtMs: identity.created_at,
      lastUsedAtMs: identity.last_used_at,
      neverExpires: identity.expires_at === null,
      workspace: identity.workspace_id,
      // A row has the fields of `GET /key`, apart from the free quota.
      information: parseKey({ data: row }, "read a row"),
    };
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}

/** Ten times what services send. */
const MOST_ROWS = 1000;

const SHA256 = /^[0-9a-f]{64}$/i;

const PageBody = z.object({ data: z.array(z.unknown()) });

const Identity = z.object({
  hash: z
    .string()
    // Some services have short ones (vendor-2026-10, 5).
    .regex(/^[^\s/]{1,128}$/, { error: "Invalid input: expected up to 128 characters" })
    .transform((hash) => (SHA256.test(hash) ? hash.toLowerCase() : hash)),
  name: known(z.string()),
  disabled: known(z.boolean()),
  created_at: optional(z.string().transform(utcMilliseconds)),
  last_used_at: z.string().transform(utcMilliseconds).nullish().catch(undefined),
  expires_at: z.unknown().optional(),
  workspace_id: optional(z.string()),
});

/** `GET /credits`. An ordinary key may get two zeros, so its answer counts for a management key only. */
export const CREDITS_REQUEST = { method: "GET", path: "/credits" } as const;

/** @throws GatewayError `bad_response` when an amount is missing or has a wrong type. */
export function parseCredits(body: unknown, action: string): AccountCredits {
  const { total_credits: boughtCredits, total_usage: usedCredits } = parseBody(
    CreditsBody,
    body,
    action,
  ).data;
  return { boughtCredits, usedCredits };
}

const CreditsBody = z.object({ data: z.object({ total_credits: wireNumber, total_usage: wireNumber }) });

/** `GET /workspaces`: a page of the account's workspaces (vendor-2026-10, 3). */
export function workspacesRequest(offset: number) {
  return { method: "GET", path: `/workspaces?offset=${offset}&limit=${PAGE}` } as const;
}

const PAGE = 100;

export interface WorkspaceRow {
  readonly id: string;
  /** Empty: it has none. */
  readonly name: string;
}

/** @throws GatewayError `bad_response` when the body is not a list of workspaces. */
export function parseWorkspaces(body: unknown, action: string): readonly WorkspaceRow[] {
  return parseBody(Page, body, action).data.map(({ id, name }) => ({ id, name: name ?? "" }));
}

const Page = z.object({ data: z.array(z.object({ id: z.string(), name: optional(z.string()) })).max(1000) });
