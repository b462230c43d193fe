import { chance, pick, shapeNames } from "../random.ts";
import { type Account, type Key, mainAccount } from "../entities.ts";
import { DAY, HOUR, dayStart } from "../windows.ts";
import type { NewKey, World } from "../world.ts";
import {
  appTitles,
  contextLengthBuckets,
  countries,
  dataRegions,
  finishReasons,
  hosts,
  keyNames,
  languages,
  modelSizes,
  origins,
  people,
  simulatedClassifier,
  topics,
  vendors,
  workspaces,
} from "./names.ts";
import type { Lane } from "./traffic.ts";
import { addMovement } from "../account/movements.ts";

export type WorldOptions = {
  readonly seed: number;
  readonly keys: number;
  readonly models: number;
  readonly apps: number;
  /** Of ten keys or more, one has limit 0, one is disabled and one has expired. */
  readonly troubled: boolean;
  readonly startAt: number;
  readonly historyDays: number;
};

/** Fills the registry from the seed and gives every key its traffic. Without keys the world stays empty. */
export function seedWorld(world: World, options: WorldOptions): Lane[] {
  if (options.keys === 0) return [];
  const models = Array.from({ length: options.models }, (_, index) => addModel(world, index));
  const apps = Array.from({ length: options.apps }, (_, index) =>
    world.addApp(appTitles[index] ?? `App ${index + 1}`),
  );
  for (const [id, label] of people) world.addUser(id, label);
  for (const [id, label] of workspaces) world.addWorkspace(id, label);
  world.addClassifier(simulatedClassifier);
  const choices = { models, apps: [...apps.map((app) => app.id), null] };
  const lanes = Array.from({ length: options.keys }, (_, index) =>
    addKey(world, index, choices, options),
  ).flat();
  const { startAt, historyDays } = options;
  seedPurchases(world.account(mainAccount), { startAt, historyDays, dailyCredits: dailyPaid(lanes) });
  return lanes;
}

type Size = (typeof modelSizes)[number];
type SeededModel = { readonly id: string; readonly size: Size };
type Choices = { readonly models: readonly SeededModel[]; readonly apps: readonly (number | null)[] };

/** Every fourth model is a free variant. */
function addModel(world: World, index: number): SeededModel {
  const size = pick(modelSizes, (index % modelSizes.length) / modelSizes.length);
  const vendor = pick(vendors, (index % vendors.length) / vendors.length);
  const version = 1 + Math.floor(index / (modelSizes.length * vendors.length));
  const isFree = index % 4 === 3;
  const id = `${vendor}/${size.name}-${version}${isFree ? ":free" : ""}`;
  const label = `${capital(vendor)}: ${capital(size.name)} ${version}${isFree ? " (free)" : ""}`;
  world.addModel(id, label);
  return { id, size };
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function addKey(world: World, index: number, choices: Choices, options: WorldOptions): Lane[] {
  const draw = (what: number): number => chance(options.seed, index, what);
  const base = keyNames[index % keyNames.length] ?? "key";
  const round = Math.floor(index / keyNames.length);
  const name = round === 0 ? base : `${base}-${round + 1}`;
  const kind = keyKinds[index % keyKinds.length] ?? keyKinds[0];
  const { limitDays, ...kindOfKey } = kind;
  const key = world.addKey({
    name,
    ...kindOfKey,
    ...twinTitle(index),
    workspace: workspaceOf(index),
    creator: pick(people, draw(4))[0],
    externalUser: draw(5) < 0.1 ? `customer-${index}` : null,
    // Older than its first traffic, and no two at the same time.
    createdAt: options.startAt - options.historyDays * DAY - (options.keys - index) * HOUR,
  });
  const count = 1 + Math.floor(draw(3) * 3);
  // From 0.3 to 60 credits a day, on a logarithmic scale.
  const dailyCredits = (0.3 * 200 ** draw(1)) / count;
  const lanes = Array.from({ length: count }, (_, number) => {
    const plan = { name, dailyCredits, freeOnly: key.freeTier, mustPay: number === 0 && !key.freeTier };
    return addLane(world, plan, choices, (what) => draw(100 * (number + 1) + what));
  });
  if (limitDays !== null) {
    // Some limits are deliberately too small for their traffic.
    const room = 0.5 + 1.5 * draw(2);
    key.limitMicros = roundLimit(dailyPaid(lanes) * limitDays * room) * 1_000_000;
  }
  if (options.troubled && options.keys >= 10) makeTrouble(key, index, options.startAt);
  return lanes;
}

type KeyKind = Pick<NewKey, "freeTier" | "includeByokInLimit" | "limitReset"> & {
  readonly limitDays: number | null;
};

/** The keys cycle through every kind of limit. */
const keyKinds: readonly [KeyKind, ...KeyKind[]] = [
  { limitReset: "daily", limitDays: 1 },
  { limitReset: "weekly", limitDays: 7 },
  { limitReset: "monthly", limitDays: 30 },
  { limitReset: null, limitDays: 120 },
  { limitDays: null },
  { limitReset: "monthly", limitDays: 30, includeByokInLimit: true },
  { limitDays: null, freeTier: true },
  { limitReset: "daily", limitDays: 1, includeByokInLimit: true },
];

function dailyPaid(lanes: readonly Lane[]): number {
  const micros = lanes.map(
    (lane) =>
      (lane.requestsPerHour *
        24 *
        (lane.promptTokens * lane.promptPrice + lane.completionTokens * lane.completionPrice)) /
      1000,
  );
  return micros.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** The nearest round limit, as people set it: 1, 2 or 5 followed by zeros, at least 1. */
function roundLimit(credits: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, credits)));
  const distance = (limit: number): number => Math.abs(Math.log(limit / Math.max(1, credits)));
  const limits = [1, 2, 5, 10].map((step) => step * power);
  return limits.toSorted((left, right) => distance(left) - distance(right))[0] ?? power;
}

/** Two keys with the same title in the analytics. */
function twinTitle(index: number): Partial<NewKey> {
  return index === 1 || index === 4 ? { title: "Production" } : {};
}

/** Two keys of ten belong to workspaces of their own, the others to the default one. */
function workspaceOf(index: number): string | null {
  return index % 5 === 4 ? pick(workspaces, (index % 10) / 10)[0] : null;
}

function makeTrouble(key: Key, index: number, startAt: number): void {
  if (index === 7) key.limitMicros = 0;
  if (index === 8) key.disabled = true;
  if (index === 9) key.expiresAt = startAt - DAY;
}

type LanePlan = {
  readonly name: string;
  readonly dailyCredits: number;
  readonly freeOnly: boolean;
  readonly mustPay: boolean;
};

/** Maximum call rate, however cheap the model is. */
const MOST_REQUESTS_PER_HOUR = 2000;

function addLane(world: World, plan: LanePlan, choices: Choices, draw: (what: number) => number): Lane {
  const wanted = choices.models.filter((model) =>
    model.id.endsWith(":free") ? !plan.mustPay : !plan.freeOnly,
  );
  const { id, size } = pick(wanted.length > 0 ? wanted : choices.models, draw(1));
  const isFree = id.endsWith(":free");
  const isTagged = draw(2) < 0.7;
  const tags = {
    topic: pick(topics, draw(3)),
    ...(draw(4) < 0.6 ? { language: pick(languages, draw(5)) } : {}),
  };
  const route = world.route({
    key: plan.name,
    model: id,
    app: pick(choices.apps, draw(6)),
    user: draw(7) < 0.2 ? null : pick(people, draw(8))[0],
    provider: pick(hosts, draw(11)),
    origin: pick(origins, draw(12)),
    country: pick(countries, draw(13)),
    finishReason: pick(finishReasons, draw(18)),
    contextLengthBucket: pick(contextLengthBuckets, draw(19)),
    dataRegion: pick(dataRegions, draw(20)),
    streamed: draw(21) < 0.5,
    tags: isTagged ? { [simulatedClassifier]: tags } : {},
  });
  const microsPerRequest = (size.prompt * size.promptPrice + size.completion * size.completionPrice) / 1000;
  const paid = (plan.dailyCredits * 1e6) / 24 / microsPerRequest;
  return {
    route,
    shape: pick(shapeNames, draw(14)),
    requestsPerHour: isFree ? 0.5 + 2 * draw(15) : Math.min(MOST_REQUESTS_PER_HOUR, paid),
    promptTokens: size.prompt,
    completionTokens: size.completion,
    reasoningShare: size.name === "reasoner" ? 0.6 : 0,
    cachedShare: draw(16) < 0.5 ? 0.4 : 0,
    promptPrice: isFree ? 0 : size.promptPrice,
    completionPrice: isFree ? 0 : size.completionPrice,
    byok: !isFree && !plan.mustPay && draw(17) < 0.3,
    latencyMs: size.latencyMs,
  };
}

const DAYS_BETWEEN = 30;
/** More than the traffic is expected to spend, so that the balance stays positive. */
const MARGIN = 1.5;

/** A purchase every 30 days, from the beginning of the history on, of round amounts that cover the expected spend. */
function seedPurchases(
  account: Account,
  plan: { readonly startAt: number; readonly historyDays: number; readonly dailyCredits: number },
): void {
  const credits = Math.ceil((plan.dailyCredits * DAYS_BETWEEN * MARGIN) / 100) * 100;
  for (
    let at = dayStart(plan.startAt) - plan.historyDays * DAY;
    at <= plan.startAt;
    at += DAYS_BETWEEN * DAY
  ) {
    addMovement(account, { at, kind: "purchase", micros: credits * 1_000_000 });
  }
}
