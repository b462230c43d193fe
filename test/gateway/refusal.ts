/** The 14 error statuses of contract section 7, with this gateway's messages. */
const statusMessages: Readonly<Record<number, string>> = {
  400: "Invalid or missing parameters",
  401: "Missing, invalid or disabled key",
  402: "Insufficient credits",
  403: "Insufficient permissions",
  404: "Resource does not exist",
  408: "Operation timed out",
  413: "Request payload too large",
  429: "Rate limit exceeded",
  500: "Internal server error",
  502: "Chosen model is down or the provider returned an invalid response",
  503: "No available provider meets the routing requirements",
  504: "Operation aborted due to timeout",
  524: "Request timed out, retry later",
  529: "Provider returned an error (overloaded)",
};

/** The rate limit that a 429 of the platform describes (section 7, rules for 429). */
export type HitLimit = { readonly limit: number; readonly remaining: number; readonly resetAt: number };

/** An error answer. The code that sends it chooses the body's format. */
export class Refusal extends Error {
  readonly status: number;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly hitLimit: HitLimit | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    message = statusMessages[status] ?? `Status ${status}`,
    details: RefusalDetails = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.metadata = details.metadata;
    this.hitLimit = details.hitLimit;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

export type RefusalDetails = {
  metadata?: Readonly<Record<string, unknown>>;
  hitLimit?: HitLimit;
  retryAfterSeconds?: number;
};
