import { z } from "zod";
import { utcMilliseconds } from "../../time/utc-time.ts";
import type { AccountKey, AccountCredits } from "../account.ts";
import { GatewayError } from "../errors.ts";
import { known, objectOf, optional, parseBody, provenanceOf, shapeProblem, wireNumber } from "./fields.ts";
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
    // A row has the fields of `GET /key`, apart from the free quota.
    return { ...identity, information: parseKey({ data: row }, "read a row") };
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}

/** Ten times what services send. */
const MOST_ROWS = 1000;

const SHA256 = /^[0-9a-f]{64}$/i;

const PageBody = z.object({ data: z.array(z.unknown()) });

const hash = z
  .string()
  // Some services have short ones (vendor-2026-10, 5).
  .regex(/^[^\s/]{1,128}$/, { error: "Invalid input: expected up to 128 characters" })
  .transform((text) => (SHA256.test(text) ? text.toLowerCase() : text));

const ROW_FIELDS = {
  hash: ["hash", hash],
  name: ["name", known(z.string()).transform((name) => name ?? "")],
  disabled: ["disabled", known(z.boolean())],
  createdAtMs: ["created_at", optional(z.string().transform(utcMilliseconds))],
  lastUsedAtMs: ["last_used_at", z.string().transform(utcMilliseconds).nullish().catch(undefined)],
  neverExpires: [
    "expires_at",
    z
      .unknown()
      .optional()
      .transform((time) => time === null),
  ],
} as const;
const Identity = objectOf(ROW_FIELDS);

/** `GET /credits`. An ordinary key may get two zeros, which mean nothing. */
export const CREDITS_REQUEST = { method: "GET", path: "/credits" } as const;

/** @throws GatewayError `bad_response` when an amount is missing or has a wrong type. */
export function parseCredits(body: unknown, action: string): AccountCredits {
  return parseBody(CreditsBody, body, action).data;
}

const CREDITS_FIELDS = {
  boughtCredits: ["total_credits", wireNumber],
  usedCredits: ["total_usage", wireNumber],
} as const;
const CreditsBody = z.object({ data: objectOf(CREDITS_FIELDS) });

/** Where the values about the account and its keys come from. */
export const ACCOUNT_PROVENANCE = {
  ...provenanceOf(CREDITS_FIELDS, "GET /credits"),
  ...provenanceOf(ROW_FIELDS, "GET /keys"),
  keys: "GET /keys",
  limit: "field limit of GET /keys",
} as const;

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
