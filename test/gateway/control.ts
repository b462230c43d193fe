import { type Answer, jsonAnswer, refusalAnswer } from "./answer.ts";
import type { KeyChanges } from "./account/key-changes.ts";
import type { NewMovement } from "./account/movements.ts";
import type { Clock } from "./clock.ts";
import type { Faults } from "./faults.ts";
import { readFields, readInteger, readNumber, wrong } from "./fields.ts";
import { Refusal } from "./refusal.ts";
import type { Spend, SpendAnswer } from "./spend.ts";
import { type Switches, setSwitches } from "./switches.ts";
import type { NewKey } from "./world.ts";

/** The parts of the gateway that other processes can control. */
export type Controls = KeyChanges & {
  readonly moveCredits: (movement: NewMovement) => void;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly switches: Switches;
  readonly tokens: ReadonlyMap<string, string>;
  readonly managementToken: string;
  readonly spend: (spend: Spend) => SpendAnswer;
  readonly addKey: (key: NewKey) => string;
};

/**
 * Handles the control paths under /_sim (README). Bodies have the fields of the same calls in TypeScript; what the
 * gateway refuses is a 400 that explains the error.
 */
export function createControl(controls: Controls) {
  return (method: string, url: URL, body: string): Answer => {
    const name = `${method} ${url.pathname.slice("/_sim/".length)}`;
    try {
      const act = actions[name];
      if (act === undefined) throw new Refusal(404, `Unknown control "${name}", see test/gateway/README.md`);
      return jsonAnswer(act(controls, parse(body), url.searchParams) ?? {});
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(400, String(error));
      return refusalAnswer(refusal);
    }
  };
}

type Action = (controls: Controls, body: ReturnType<typeof parse>, parameters: URLSearchParams) => unknown;

const actions: Readonly<Record<string, Action>> = {
  "GET clock": (controls) => clockState(controls.clock),
  "POST clock": (controls, body) => changeClock(controls.clock, body),
  "GET keys": (controls) => ({
    management: controls.managementToken,
    keys: Object.fromEntries(controls.tokens),
  }),
  "POST keys": (controls, body) => ({ token: controls.addKey(body) }),
  "GET faults": (controls) => controls.faults.list(),
  "POST faults": (controls, body) => ({ id: controls.faults.add(body).id }),
  "DELETE faults": (controls, _body, parameters) => {
    const id = parameters.get("id");
    controls.faults.clear(id === null ? undefined : Number(id));
    return {};
  },
  "GET switches": (controls) => controls.switches,
  "POST switches": (controls, body) => {
    setSwitches(controls.switches, body);
    return controls.switches;
  },
  "POST spend": (controls, body) => controls.spend(body),
  "POST limit": (controls, { key, micros, reset }) => controls.setLimit(key, micros, reset),
  "POST disable": (controls, { key }) => controls.disable(key),
  "POST enable": (controls, { key }) => controls.enable(key),
  "POST remove": (controls, { key }) => controls.remove(key),
  "POST credits": (controls, body) => controls.moveCredits(body),
};

function parse(body: string) {
  return body === "" ? {} : JSON.parse(body);
}

function clockState(clock: Clock) {
  return { now: clock.now(), iso: new Date(clock.now()).toISOString(), speed: clock.speed };
}

function changeClock(clock: Clock, body: unknown) {
  const fields = readFields(body, "body", ["set", "advance_ms", "speed"]);
  const { set, advance_ms: advanceMs, speed } = fields;
  if (set !== undefined) clock.set(typeof set === "string" ? readTime(set, "set") : readInteger(set, "set"));
  if (advanceMs !== undefined) clock.advance(readInteger(advanceMs, "advance_ms"));
  if (speed !== undefined) clock.speed = readNumber(speed, "speed");
  return clockState(clock);
}

/** Epoch milliseconds or ISO 8601 with a time zone. */
function readTime(text: string, name: string): number {
  const at = /^-?\d+$/u.test(text) ? Number(text) : Date.parse(text);
  const isLocal = text.includes("T") && !/(?:Z|[+-]\d{2}:\d{2})$/u.test(text);
  if (Number.isNaN(at) || isLocal) throw wrong(name, text, "epoch milliseconds or ISO 8601 UTC");
  return at;
}
