import { type Answer, jsonAnswer, refusalAnswer } from "./answer.ts";
import type { Period } from "./account/account-books.ts";
import { accountActions, type AccountControls, readDimensions } from "./account/control-actions.ts";
import type { Books } from "./books.ts";
import type { Clock } from "./clock.ts";
import { readFault } from "./fault-fields.ts";
import type { Faults } from "./faults.ts";
import {
  type Fields,
  readBoolean,
  readFields,
  readInteger,
  readNumber,
  readOneOf,
  readText,
  wrong,
} from "./fields.ts";
import { Refusal } from "./refusal.ts";
import type { RequestLog } from "./request-log.ts";
import type { Spend, SpendAnswer } from "./spend.ts";
import { createSwitches, type Switches, setSwitches } from "./switches.ts";
import { readManner, readRecording } from "./transcription/control-fields.ts";
import type { Manners } from "./transcription/manner.ts";
import type { Recordings } from "./transcription/recordings.ts";
import { resets } from "./windows.ts";
import type { NewKey } from "./world.ts";

/** The parts of the gateway that other processes can control. */
export type Controls = AccountControls & {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly switches: Switches;
  readonly manners: Manners;
  readonly recordings: Recordings;
  readonly books: Books;
  readonly log: RequestLog;
  readonly tokens: ReadonlyMap<string, string>;
  readonly managementToken: string;
  readonly spend: (spend: Spend) => SpendAnswer;
  readonly addKey: (key: NewKey) => string;
};

/** Handles the control paths under /_sim (README). A wrong request is a 400 that explains the error. */
export function createControl(controls: Controls) {
  return (method: string, url: URL, body: string): Answer => {
    const name = `${method} ${url.pathname.slice("/_sim/".length)}`;
    try {
      const change = method === "POST" ? accountActions[name.slice("POST ".length)] : undefined;
      change?.(controls, parse(body));
      if (change !== undefined) return jsonAnswer({});
      const act = actions[name];
      if (act === undefined) throw new Refusal(404, `Unknown control "${name}", see test/gateway/README.md`);
      return jsonAnswer(act(controls, parse(body), url.searchParams));
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(400, String(error));
      return refusalAnswer(refusal, createSwitches(), controls.clock.now());
    }
  };
}

type Action = (controls: Controls, body: unknown, parameters: URLSearchParams) => unknown;

const actions: Readonly<Record<string, Action>> = {
  "GET clock": (controls) => clockState(controls.clock),
  "POST clock": (controls, body) => changeClock(controls.clock, body),
  "GET keys": (controls) => ({
    management: controls.managementToken,
    keys: Object.fromEntries(controls.tokens),
  }),
  "POST keys": (controls, body) => ({ token: controls.addKey(readNewKey(body)) }),
  "GET faults": (controls) => controls.faults.list(),
  "POST faults": (controls, body) => ({ id: controls.faults.add(readFault(body)).id }),
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
  "POST manners": (controls, body) => {
    const { changes, model } = readManner(body);
    controls.manners.change(changes, model);
    return controls.manners.list();
  },
  "DELETE manners": (controls) => {
    controls.manners.reset();
    return {};
  },
  "POST recordings": (controls, body) => controls.recordings.add(readRecording(body)),
  "POST spend": (controls, body) => controls.spend(readSpend(body)),
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

function parse(body: string): unknown {
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

const figureNames = [
  "micros",
  "byokMicros",
  "byokFeeMicros",
  "cacheMicros",
  "dataMicros",
  "requests",
  "byokRequests",
  "promptTokens",
  "completionTokens",
  "reasoningTokens",
  "cachedTokens",
  "latencyMs",
  "at",
] as const;
const routeNames = [
  "user",
  "workspace",
  "provider",
  "origin",
  "country",
  "finishReason",
  "externalUser",
  "contextLengthBucket",
  "dataRegion",
] as const;

function readSpend(value: unknown): Spend {
  const allowed = ["key", "model", "app", "force", "streamed", ...routeNames, ...figureNames];
  const fields = readFields(value, "body", allowed);
  const spend: Spend = { key: readText(fields["key"], "key"), model: readText(fields["model"], "model") };
  for (const name of figureNames) if (name in fields) spend[name] = readInteger(fields[name], name);
  for (const name of routeNames)
    if (name in fields) Object.assign(spend, { [name]: textOrNull(fields, name) });
  if ("app" in fields)
    spend.app = typeof fields["app"] === "number" ? fields["app"] : textOrNull(fields, "app");
  if ("streamed" in fields) spend.streamed = readBoolean(fields["streamed"], "streamed");
  if ("force" in fields) spend.force = readBoolean(fields["force"], "force");
  return spend;
}

function textOrNull(fields: Fields, name: string): string | null {
  return fields[name] === null ? null : readText(fields[name], name);
}

function readNewKey(value: unknown): NewKey {
  const flags = ["management", "freeTier", "keyless", "includeByokInLimit", "disabled"] as const;
  const numbers = ["limitMicros", "expiresAt"] as const;
  const texts = ["workspace", "creator", "externalUser"] as const;
  const fields = readFields(value, "body", ["name", "title", "limitReset", ...flags, ...numbers, ...texts]);
  const key: NewKey = { name: readText(fields["name"], "name") };
  if ("title" in fields) key.title = readText(fields["title"], "title");
  for (const name of flags) if (name in fields) key[name] = readBoolean(fields[name], name);
  for (const name of numbers) {
    if (name in fields) key[name] = fields[name] === null ? null : readInteger(fields[name], name);
  }
  for (const name of texts) if (name in fields) key[name] = textOrNull(fields, name);
  const reset = fields["limitReset"];
  if (reset !== undefined) key.limitReset = reset === null ? null : readOneOf(reset, "limitReset", resets);
  return key;
}
