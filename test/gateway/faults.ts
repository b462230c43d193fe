import type { Endpoint } from "./context.ts";
import type { HitLimit } from "./refusal.ts";

/** What goes wrong. Every fault may also be late by `delayMs`; `slow` is nothing but late. */
export type FaultEffect =
  | { kind: "slow"; delayMs: number }
  /** An error answer. `body` replaces the envelope; `headers` come on top. */
  | {
      kind: "status";
      status: number;
      message?: string;
      metadata?: Readonly<Record<string, unknown>>;
      body?: string;
      headers?: Readonly<Record<string, string>>;
      /** 429 only: `platform` (default) brings X-RateLimit-*, `provider` does not. */
      origin?: "platform" | "provider";
      hitLimit?: HitLimit;
      retryAfterSeconds?: number;
    }
  /** The right answer, `bytesAtOnce` (1) every `everyMs` (1000). */
  | { kind: "drip"; everyMs?: number; bytesAtOnce?: number }
  /** The connection ends after so many bytes of the body, by default half of it. */
  | { kind: "cut"; afterBytes?: number }
  /** The connection is reset before the headers. */
  | { kind: "reset" }
  | { kind: "garbage"; form: "html" | "not_json" | "half_json" | "empty" }
  | { kind: "body"; body: string; status?: number; contentType?: string }
  /** The right answer with other values at some paths ("data.limit", "data.data.0.model"). */
  | { kind: "fields"; set?: Readonly<Record<string, unknown>>; remove?: readonly string[] }
  | { kind: "redirect"; location: string; status?: number }
  | { kind: "oversize"; bytes: number };

/** Whom it hits and how often; by default everyone, until it is cleared. */
export type Fault = FaultEffect & { key?: string; endpoint?: Endpoint; times?: number; delayMs?: number };

export type ActiveFault = {
  readonly id: number;
  readonly fault: Fault;
  readonly hits: number;
  clear(): void;
};

export type Faults = ReturnType<typeof createFaults>;

/** Faults in the order they were added; a request takes the first that fits. */
export function createFaults() {
  let nextId = 1;
  let active: { readonly id: number; readonly fault: Fault; hits: number }[] = [];
  const clear = (id?: number): void => {
    active = id === undefined ? [] : active.filter((candidate) => candidate.id !== id);
  };
  return {
    add(fault: Fault): ActiveFault {
      const added = { id: nextId, fault, hits: 0, clear: () => clear(added.id) };
      nextId += 1;
      active.push(added);
      return added;
    },
    clear,
    list: (): { readonly id: number; readonly fault: Fault; readonly hits: number }[] => [...active],
    /** The fault for this request, counted as used. */
    take(endpoint: Endpoint, key: string | null): Fault | null {
      const taken = active.find(
        ({ fault, hits }) =>
          (fault.endpoint === undefined || fault.endpoint === endpoint) &&
          (fault.key === undefined || fault.key === key) &&
          hits < (fault.times ?? Number.POSITIVE_INFINITY),
      );
      if (taken === undefined) return null;
      taken.hits += 1;
      return taken.fault;
    },
  };
}
