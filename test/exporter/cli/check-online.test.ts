import { describe, expect, test } from "vitest";
import { checkOnline, JOBS, NOON, one, queries, type Stage, warning, WORKSPACE } from "./online-stage.ts";
import type { Gateway } from "../../gateway/gateway.ts";

describe("check --online: what cannot work, with exit code 1", () => {
  const BILLING = 'keys "billing": environment variable "KEY_0": gateway answered 401:';
  const REPLACE = "Replace the secret, or enable the key at the gateway, or remove it here";
  const MANAGEMENT = 'analytics.management_key: environment variable "MANAGEMENT_KEY": ';

  test.each<[string, Stage, readonly string[]]>([
    [
      "a wrong secret",
      { tokens: new Map([["billing", "sk-wrong"]]) },
      [one(`${BILLING} Missing or unknown API key. ${REPLACE}`)],
    ],
    [
      "a disabled key, which the list shows",
      { prepare: (gateway) => gateway.addKey({ name: "off", disabled: true }) },
      [
        one(
          'keys "off": environment variable "KEY_2": gateway answered 401: API key is disabled. The list of keys shows it as disabled: enable it at the gateway, or remove it here',
        ),
      ],
    ],
    [
      "two refused keys, with a line for each",
      {
        content: { discovery: { enabled: false } },
        prepare: (gateway) => {
          gateway.addKey({ name: "off", disabled: true });
          gateway.addKey({ name: "old", expiresAt: NOON - 1 });
        },
      },
      [
        one(
          `keys "off": environment variable "KEY_2": gateway answered 401: API key is disabled. ${REPLACE}`,
        ),
        one(`keys "old": environment variable "KEY_3": gateway answered 401: API key is expired. ${REPLACE}`),
      ],
    ],
    [
      "an ordinary key as management key",
      { managementKey: "ordinary" },
      [
        one(
          `${MANAGEMENT}gateway answered 403: Only management keys can do this (8 of ${JOBS} polls: analytics query "day", analytics query "last_day", analytics query "month" and 5 more). Give it a management key of this account`,
        ),
      ],
    ],
    [
      "a management key that the gateway does not know",
      { managementKey: "sk-unknown" },
      [
        one(
          `${MANAGEMENT}gateway answered 401: Missing or unknown API key (9 of ${JOBS} polls: analytics query "day", analytics query "last_day", analytics query "month" and 6 more). Give it a management key of this account`,
        ),
      ],
    ],
    [
      "a misspelt dimension, once with the gateway's word and once with the nearest name",
      { content: queries({ dimensions: ["modle"] }) },
      [
        warning(
          'the capabilities of the analytics: query "own" names the dimension "modle", which the gateway does not list; the nearest one is "model"',
        ),
        one(
          'analytics.queries "own": gateway answered 400: Invalid "dimensions[0]": expected one of model, app, api_key_id, user, workspace, variant, provider, origin, country, finish_reason, external_user, context_length_bucket, data_region, streamed, got "m…. Correct its dimensions, metrics, filters or window',
        ),
      ],
    ],
    [
      "a metric that the gateway lacks",
      {
        options: { switches: { missingMetrics: ["p90_latency"] } },
        content: queries({ metrics: ["latency_avg_seconds"] }),
      },
      [
        one(
          'analytics.queries "own": gateway answered 400: Invalid "metrics": expected a known metric, got "p90_latency". Correct its dimensions, metrics, filters or window',
        ),
      ],
    ],
    [
      "a query that reaches far enough today, but not at the end of a month",
      { options: { switches: { reachDays: 20 } }, content: queries({}) },
      [
        warning(
          'analytics query "last_month": gateway answered 400: Invalid "time_range.start": expected at most 20 days ago; its values are absent',
        ),
        one(
          'analytics.queries "own": gateway answered 400: Invalid "time_range.start": expected at most 20 days ago. On some days window month begins 31 days ago, and the gateway does not reach that far: choose a shorter window',
        ),
      ],
    ],
    [
      "no answer in time",
      {
        gateway: { timeout: "100ms" },
        prepare: ({ faults }) => void faults.add({ kind: "slow", delayMs: 5000, endpoint: "credits" }),
      },
      [
        one(
          `gateway.base_url: "URL": no complete answer within 100 ms (1 of ${JOBS} polls: the account's credits). Raise gateway.timeout and gateway.deadline, or find out why the gateway is slow`,
        ),
      ],
    ],
    [
      "refusals of too many requests",
      {
        prepare: ({ faults }) =>
          void faults.add({ kind: "status", status: 429, endpoint: "keys", message: "Slow down" }),
      },
      [
        one(
          `gateway.base_url: "URL": gateway answered 429: Slow down (2 of ${JOBS} polls: the account's credits, the list of keys of workspace "default"). Lower gateway.requests_per_minute, or poll less often with schedule`,
        ),
      ],
    ],
    [
      "a failing gateway",
      {
        prepare: ({ faults }) =>
          void faults.add({ kind: "status", status: 503, endpoint: "meta", message: "Down" }),
      },
      [
        one(
          `gateway.base_url: "URL": gateway answered 503: Down (1 of ${JOBS} polls: the capabilities of the analytics). The gateway is failing: try again later, or ask its operator`,
        ),
      ],
    ],
    [
      "a gateway that redirects",
      {
        prepare: ({ faults }) =>
          void faults.add({ kind: "redirect", location: "https://elsewhere.example/", endpoint: "key" }),
      },
      [
        one(
          `gateway.base_url: "URL": gateway answered 302: redirects are not followed (check gateway.base_url) (2 of ${JOBS} polls: key "billing", key "search"). Check that the address is that of the API`,
        ),
      ],
    ],
    [
      "a workspace that is not one",
      { content: { discovery: { workspaces: [WORKSPACE] } }, prepare: refuseWorkspace(400) },
      [
        one(
          `discovery.workspaces: "${WORKSPACE}": gateway answered 400: No such workspace. Correct the UUID of the workspace`,
        ),
      ],
    ],
    [
      "a gateway without a list of keys",
      { content: { discovery: {} }, options: { switches: { missingOperations: ["keys"] } } },
      [
        "warning: config.yaml: the account's credits: the gateway does not report credits (404), so the balance is unknown",
        one(
          `discovery: gateway answered 404: Resource does not exist (1 of ${JOBS} polls: the list of keys of workspace "default"). If the gateway has no list of keys, set discovery.enabled to false`,
        ),
      ],
    ],
    [
      "a workspace that was deleted",
      { content: { discovery: { workspaces: [WORKSPACE] } }, prepare: refuseWorkspace(404) },
      [
        one(
          `discovery.workspaces: "${WORKSPACE}": gateway answered 404: No such workspace. Correct the UUID of the workspace`,
        ),
      ],
    ],
    [
      "an unreachable gateway, in one line for all jobs",
      { url: "http://127.0.0.1:1/api/v1" },
      [
        one(
          `gateway.base_url: "URL": the connection failed (ECONNREFUSED) (11 of ${JOBS} polls: key "billing", key "search", analytics query "day" and 8 more). Nothing listens there: start the gateway, or correct the address`,
        ),
      ],
    ],
  ])("%s", async (_, stage, expected) => {
    const { code, findings, facts } = await checkOnline(stage);
    expect(findings).toEqual(expected);
    expect(code).toBe(1);
    expect(facts.at(-1)).toMatch(/^[1-9]\d* problems?, \d+ warnings?$/);
  });
});

function refuseWorkspace(status: number): (gateway: Gateway) => void {
  return ({ faults }) =>
    void faults.add({
      kind: "status",
      status,
      endpoint: "keys",
      parameter: `workspace_id=${WORKSPACE}`,
      message: "No such workspace",
    });
}
