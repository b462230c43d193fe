import { z } from "zod";
import { optional, parseBody } from "./fields.ts";

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
