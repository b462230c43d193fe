import { createHash } from "node:crypto";
import { defaultWorkspace, mainAccount } from "./entities.ts";
import type { Account, App, Key, Model, Named, Route, Tags, Workspace } from "./entities.ts";
import type { Reset } from "./windows.ts";

export type NewKey = {
  name: string;
  title?: string;
  token?: string;
  account?: string;
  management?: boolean;
  freeTier?: boolean;
  keyless?: boolean;
  /** The id of a workspace, created if unknown; without it, the default one. */
  workspace?: string | null;
  creator?: string | null;
  externalUser?: string | null;
  createdAt?: number;
  includeByokInLimit?: boolean;
  /** Default: the SHA-256 of the token. */
  hash?: string;
  limitMicros?: number | null;
  limitReset?: Reset | null;
  disabled?: boolean;
  expiresAt?: number | null;
};

/** `app` is an id, a title (created if unknown) or null. A title shared by several apps refers to the first. */
export type NewRoute = {
  key: string;
  model: string;
  app?: string | number | null;
  user?: string | null;
  workspace?: string | null;
  provider?: string;
  origin?: string | null;
  country?: string | null;
  finishReason?: string;
  externalUser?: string | null;
  contextLengthBucket?: string;
  dataRegion?: string;
  streamed?: boolean;
  tags?: Readonly<Record<string, Tags>>;
};

export type World = ReturnType<typeof createWorld>;

/** The registry of everything that has a name. */
export function createWorld() {
  const accounts = new Map<string, Account>();
  const keys = new Map<string, Key>();
  const keysByToken = new Map<string, Key>();
  const models = new Map<string, Model>();
  const apps = new Map<number, App>();
  const users = new Map<string, Named>();
  const workspaces = new Map<string, Workspace>([[defaultWorkspace.id, defaultWorkspace]]);
  const classifiers = new Set<string>();
  const routes: Route[] = [];
  const routesByText = new Map<string, Route>();

  function addAccount(name: string, purchasedMicros: number | null = null): Account {
    const account = { name, purchasedMicros, movements: [] };
    accounts.set(name, account);
    return account;
  }

  const accountOf = (name: string): Account => found(accounts.get(name), "account", name);

  function addKey(wanted: NewKey): Key {
    if (keys.has(wanted.name)) throw new Error(`Cannot add key "${wanted.name}": it already exists`);
    const id = 1001 + keys.size;
    const token = wanted.token ?? `sk-sim-v1-${sha256(`token ${wanted.name}`).slice(0, 40)}`;
    const account = accountOf(wanted.account ?? mainAccount);
    const key: Key = {
      ...keyDefaults,
      title: wanted.name,
      ...wanted,
      id,
      token,
      account,
      workspace: workspaceOf(wanted.workspace ?? null) ?? defaultWorkspace,
      hash: wanted.hash ?? sha256(token),
    };
    keys.set(key.name, key);
    keysByToken.set(token, key);
    return key;
  }

  function addModel(id: string, label = id): Model {
    return put(models, { id, label, free: id.endsWith(":free") });
  }

  const addApp = (title: string): App => put(apps, { id: 5001 + apps.size, title });
  const addUser = (id: string, label = id): Named => put(users, { id, label });
  const addWorkspace = (id: string, label = id): Workspace =>
    put(workspaces, { id, label, isDefault: false });
  const addClassifier = (id: string): void => void classifiers.add(id);

  function appOf(wanted: string | number | null): App | null {
    if (wanted === null) return null;
    if (typeof wanted === "number") return found(apps.get(wanted), "app", String(wanted));
    return [...apps.values()].find((app) => app.title === wanted) ?? addApp(wanted);
  }

  function workspaceOf(id: string | null): Workspace | null {
    return id === null ? null : (workspaces.get(id) ?? addWorkspace(id));
  }

  function route(wanted: NewRoute): Route {
    const text = JSON.stringify(wanted);
    const known = routesByText.get(text);
    if (known !== undefined) return known;
    const { user = null, tags = {} } = wanted;
    const key = found(keys.get(wanted.key), "key", wanted.key);
    const made: Route = {
      ...routeDefaults,
      ...wanted,
      index: routes.length,
      key,
      model: models.get(wanted.model) ?? addModel(wanted.model),
      app: appOf(wanted.app ?? null),
      user: user === null ? null : (users.get(user) ?? addUser(user)),
      workspace: workspaceOf(wanted.workspace ?? (key.workspace.isDefault ? null : key.workspace.id)),
      provider: wanted.provider ?? wanted.model.replace(/\/.*/su, ""),
      origin: wanted.origin ?? null,
      country: wanted.country ?? null,
      tags: new Map(Object.entries(tags)),
    };
    routes.push(made);
    routesByText.set(text, made);
    return made;
  }

  addAccount(mainAccount);
  return {
    accounts,
    keys,
    keysByToken,
    models,
    apps,
    users,
    workspaces,
    classifiers,
    routes,
    addAccount,
    addKey,
    addModel,
    addApp,
    addUser,
    addWorkspace,
    addClassifier,
    route,
    account: accountOf,
    key: (name: string): Key => found(keys.get(name), "key", name),
  };
}

const keyDefaults = {
  management: false,
  freeTier: false,
  keyless: false,
  creator: null,
  externalUser: null,
  createdAt: 0,
  updatedAt: null,
  deletedAt: null,
  budgets: [],
  includeByokInLimit: false,
  limitMicros: null,
  limitReset: null,
  disabled: false,
  expiresAt: null,
};

const routeDefaults = {
  finishReason: "stop",
  externalUser: null,
  contextLengthBucket: "0-4k",
  dataRegion: "global",
  streamed: false,
};

function put<Id, Thing extends { readonly id: Id }>(things: Map<Id, Thing>, thing: Thing): Thing {
  things.set(thing.id, thing);
  return thing;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function found<Thing>(thing: Thing | undefined, kind: string, name: string): Thing {
  if (thing === undefined) throw new Error(`Cannot find ${kind} "${name}" in the simulated world`);
  return thing;
}
