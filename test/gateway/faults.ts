import type { Endpoint } from "./entities.ts";

/** A fault. Every fault can also be delayed by `delayMs`; `slow` is only a delay. */
export type FaultEffect =
  | { kind: "slow"; delayMs: number }
  /** An error answer. `body` replaces the envelope; `headers` are added. */
  | {
      kind: "status";
      status: number;
      message?: string;
      metadata?: Readonly<Record<string, unknown>>;
      body?: string;
      headers?: Readonly<Record<string, string>>;
      retryAfterSeconds?: number;
    }
  /** The connection closes after half of the body. */
  | { kind: "cut" }
  /** The connection is reset before the headers. */
  | { kind: "reset" }
  | { kind: "body"; body: string; status?: number; contentType?: string }
  /** The correct answer with changed values at some paths ("data.limit", "data.data.0.model"). */
  | { kind: "fields"; set?: Readonly<Record<string, unknown>>; remove?: readonly string[] };

/** Which requests it affects, from which on, and how often; by default all requests until it is cleared. */
export type Fault = FaultEffect & {
  key?: string;
  endpoint?: Endpoint;
  /** Only requests whose URL has this query parameter, as `name=value`. */
  parameter?: string;
  /** Leaves the first ones out: 1 affects the second page of a listing. */
  skip?: number;
  times?: number;
  delayMs?: number;
};

export type ActiveFault = {
  readonly id: number;
  readonly fault: Fault;
  readonly hits: number;
  clear(): void;
};

/** What of a request decides which fault it gets. */
export interface FaultyRequest {
  readonly endpoint: Endpoint;
  readonly key: string | null;
  readonly parameters: URLSearchParams;
}

export type Faults = ReturnType<typeof createFaults>;

/** The faults in insertion order; a request gets the first one that matches. */
export function createFaults() {
  let nextId = 1;
  let active: { readonly id: number; readonly fault: Fault; hits: number; skipped: number }[] = [];
  const clear = (id?: number): void => {
    active = id === undefined ? [] : active.filter((candidate) => candidate.id !== id);
  };
  return {
    add(fault: Fault): ActiveFault {
      const added = { id: nextId, fault, hits: 0, skipped: 0, clear: () => clear(added.id) };
      nextId += 1;
      active.push(added);
      return added;
    },
    clear,
    list: (): { readonly id: number; readonly fault: Fault; readonly hits: number }[] =>
      active.map(({ id, fault, hits }) => ({ id, fault, hits })),
    /** Returns the fault for this request and counts it as used. */
    take(request: FaultyRequest): Fault | null {
      const taken = active.find((candidate) => isMeant(candidate.fault, request) && isItsTurn(candidate));
      if (taken === undefined) return null;
      taken.hits += 1;
      return taken.fault;
    },
  };
}

type Candidate = { readonly fault: Fault; readonly hits: number; skipped: number };

function isMeant(fault: Fault, { endpoint, key, parameters }: FaultyRequest): boolean {
  const given = [...parameters].map(([name, value]) => `${name}=${value}`);
  return (
    (fault.endpoint === undefined || fault.endpoint === endpoint) &&
    (fault.key === undefined || fault.key === key) &&
    (fault.parameter === undefined || given.includes(fault.parameter))
  );
}

function isItsTurn(candidate: Candidate): boolean {
  const { fault, hits } = candidate;
  if (candidate.skipped === (fault.skip ?? 0)) return hits < (fault.times ?? Number.POSITIVE_INFINITY);
  candidate.skipped += 1;
  return false;
}
