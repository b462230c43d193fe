import { z } from "zod";
import type { AccountCredits } from "../account.ts";
import { parseBody, wireNumber } from "./fields.ts";

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
