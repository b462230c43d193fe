/**
 * Lets one login at a time compare a password, in turn for each network, so that a flood from one does not
 * keep others out.
 */
export interface LoginQueue {
  /**
   * Runs the comparison when it is its turn. `address` is the client's; `refusals` is how often these credentials were
   * refused for lack of room: those refused more often come first, since guesses are not repeated.
   * @throws TooManyLoginsError
   */
  run(
    login: { readonly address: string; readonly refusals: number },
    compare: () => Promise<boolean>,
  ): Promise<boolean>;
}

/** Too many logins are waiting, for example because someone is guessing passwords. */
export class TooManyLoginsError extends Error {
  override readonly name = "TooManyLoginsError";

  constructor() {
    super("Cannot compare a password now: too many logins are waiting");
  }
}

export const MOST_WAITING_OF_A_NETWORK = 4;
export const MOST_WAITING = 32;

interface Waiting {
  readonly refusals: number;
  readonly compare: () => Promise<boolean>;
  readonly outcome: PromiseWithResolvers<boolean>;
}

export function createLoginQueue(): LoginQueue {
  /** The waiting logins of each network, the next one first. The network whose turn it is comes first. */
  const lanes = new Map<string, Waiting[]>();
  let isComparing = false;

  function add(network: string, login: Waiting): void {
    const lane = lanes.get(network) ?? [];
    lanes.set(network, lane);
    const after = lane.findIndex(({ refusals }) => refusals < login.refusals);
    lane.splice(after < 0 ? lane.length : after, 0, login);
    if (lane.length > MOST_WAITING_OF_A_NETWORK) refuseLast(network);
    else if (waiting() > MOST_WAITING) refuseLast(longest());
  }

  function waiting(): number {
    return [...lanes.values()].reduce((sum, lane) => sum + lane.length, 0);
  }

  /** The network with the most waiting logins, the newest of several. */
  function longest(): string {
    const [most] = [...lanes].toReversed().toSorted(([, one], [, other]) => other.length - one.length);
    return most?.[0] ?? "";
  }

  function refuseLast(network: string): void {
    const lane = lanes.get(network);
    lane?.pop()?.outcome.reject(new TooManyLoginsError());
    if (lane?.length === 0) lanes.delete(network);
  }

  function next(): Waiting | undefined {
    for (const [network, lane] of lanes) {
      lanes.delete(network);
      const first = lane.shift();
      if (lane.length > 0) lanes.set(network, lane);
      return first;
    }
    return undefined;
  }

  async function work(): Promise<void> {
    if (isComparing) return;
    isComparing = true;
    for (let login = next(); login; login = next()) {
      const { resolve, reject } = login.outcome;
      await login.compare().then(resolve, reject);
    }
    isComparing = false;
  }

  return {
    run: ({ address, refusals }, compare) => {
      const outcome = Promise.withResolvers<boolean>();
      add(networkOf(address), { refusals, compare, outcome });
      void work();
      return outcome.promise;
    },
  };
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: one client may have the rest to itself. */
function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
