import { describe, expect, test } from "vitest";
import { FAILURE_REASONS, GatewayError, reasonOfStatus } from "../../../exporter/gateway/errors.ts";

describe("reasonOfStatus", () => {
  test.each([
    // The statuses of the contract, section 7.
    [400, "bad_request"],
    [401, "unauthorized"],
    [402, "payment_required"],
    [403, "forbidden"],
    [404, "bad_request"],
    [408, "timeout"],
    [413, "bad_request"],
    [429, "rate_limited"],
    [500, "upstream_error"],
    [502, "upstream_error"],
    [503, "upstream_error"],
    [504, "timeout"],
    [524, "timeout"],
    [529, "upstream_error"],
    // Others.
    [301, "bad_response"],
    [302, "bad_response"],
    [304, "bad_response"],
    [307, "bad_response"],
    [405, "bad_request"],
    [418, "bad_request"],
    [425, "bad_request"],
    [451, "bad_request"],
    [499, "bad_request"],
    [501, "upstream_error"],
    [520, "upstream_error"],
    [599, "upstream_error"],
    [999, "upstream_error"],
  ])("%i: %s", (status, reason) => {
    expect(reasonOfStatus(status)).toBe(reason);
  });
});

describe("GatewayError", () => {
  test("is retryable only for failures that may pass by themselves", () => {
    const retryable = FAILURE_REASONS.filter((reason) => new GatewayError(reason, "Cannot ask").retryable);
    expect(retryable).toEqual(["rate_limited", "timeout", "upstream_error", "network"]);
  });

  test("keeps its details and its name", () => {
    const cause = new Error("below");
    const error = new GatewayError("rate_limited", "Cannot ask", { status: 429, retryAfterMs: 5, cause });
    expect(error).toMatchObject({
      name: "GatewayError",
      kind: "rate_limited",
      status: 429,
      retryAfterMs: 5,
      cause,
    });
    expect(String(error)).toBe("GatewayError: Cannot ask");
  });
});
