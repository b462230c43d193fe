import { type Answer, jsonAnswer, refusalAnswer } from "./answer.ts";
import type { AccountBooks, Period } from "./account/account-books.ts";
import type { KeyChanges } from "./account/key-changes.ts";
import type { NewMovement } from "./account/movements.ts";
import { dimensionNames } from "./analytics/dimensions.ts";
import type { Books } from "./books.ts";
import type { Clock } from "./clock.ts";
import type { Faults } from "./faults.ts";
import { readFields, readInteger, readNumber, readOneOf, wrong } from "./fields.ts";
import { Refusal } from "./refusal.ts";
import type { RequestLog } from "./request-log.ts";
import type { Spend, SpendAnswer } from "./spend.ts";
import { createSwitches, type Switches, setSwitches } from "./switches.ts";
import type { Manners } from "./transcription/manner.ts";
import { type Recordings, sha256Of } from "./transcription/recordings.ts";
import type { NewKey } from "./world.ts";

/** The parts of the gateway that other processes can control. */
export type Controls = KeyChanges & {
  readonly moveCredits: (movement: NewMovement) => void;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly switches: Switches;
  readonly manners: Manners;
  readonly recordings: Recordings;
  readonly books: Books & AccountBooks;
  readonly log: RequestLog;
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
      return refusalAnswer(refusal, createSwitches(), controls.clock.now());
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
  "GET manners": (controls) => controls.manners.list(),
  "POST manners": (controls, { model = null, ...changes }) => {
    controls.manners.change(changes, model);
    return controls.manners.list();
  },
  "DELETE manners": (controls) => {
    controls.manners.reset();
    return {};
  },
  "POST recordings": (controls, { data = "", ...recording }) =>
    controls.recordings.add({ sha256: sha256Of(Buffer.from(data, "base64")), ...recording }),
  "POST spend": (controls, body) => controls.spend(body),
  "POST limit": (controls, { key, micros, reset }) => controls.setLimit(key, micros, reset),
  "POST disable": (controls, { key }) => controls.disable(key),
  "POST enable": (controls, { key }) => controls.enable(key),
  "POST remove": (controls, { key }) => controls.remove(key),
  "POST rename": (controls, { key, title }) => controls.rename(key, title),
  "POST expiry": (controls, { key, at }) => controls.setExpiry(key, at),
  "POST budget": (controls, body) => controls.setBudget(body),
  "POST in_flight": (controls, { key, reason }) => controls.holdInFlight(key, reason),
  "POST credits": (controls, body) => controls.moveCredits(body),
  "GET books/key": (controls, _body, parameters) =>
    controls.books.key(required(parameters, "name"), timeOf(parameters, "at") ?? undefined),
  "GET books/analytics": (controls, _body, parameters) => controls.books.analytics(periodOf(parameters)),
  "GET books/usage": (controls, _body, parameters) =>
    controls.books.usage(periodOf(parameters), readDimensions(parameters)),
  "GET books/unwatched": (controls, _body, parameters) =>
    controls.books.unwatched(periodOf(parameters), parameters.getAll("watched")),
  "GET books/keys": (controls) => controls.books.keys(),
  "GET books/balance": (controls, _body, parameters) =>
    controls.books.balance(timeOf(parameters, "at") ?? undefined),
  "GET books/transcriptions": (controls, _body, parameters) =>
    controls.books.transcriptions(timeOf(parameters, "at") ?? undefined),
  "GET log": (controls) => ({ total: controls.log.total, lines: controls.log.lines }),
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

function timeOf(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  return text === null ? null : readTime(text, name);
}

function periodOf(parameters: URLSearchParams): Period {
  const at = timeOf(parameters, "at");
  const start = timeOf(parameters, "start") ?? Number.NEGATIVE_INFINITY;
  const end = timeOf(parameters, "end") ?? Number.POSITIVE_INFINITY;
  return { start, end, ...(at === null ? {} : { at }) };
}

function required(parameters: URLSearchParams, name: string): string {
  const value = parameters.get(name);
  if (value === null) throw wrong(name, undefined, "a query parameter");
  return value;
}

/** The dimensions of `by=model,app`; none of an absent parameter. */
function readDimensions(parameters: URLSearchParams) {
  const names = (parameters.get("by") ?? "").split(",").filter((name) => name !== "");
  return names.map((name) => readOneOf(name, "by", dimensionNames));
}
