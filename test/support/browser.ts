import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";

/** One page of a headless Chromium, by its DevTools protocol. */
export interface BrowserPage {
  /** Loads an address in a window of a width, and waits until it is loaded. */
  open(url: string, widthPixels: number): Promise<void>;
  /** How the next pages are drawn: on a screen in light or dark mode, or on paper. */
  draw(medium: "light" | "dark" | "print"): Promise<void>;
  /** The value of an expression on the page, as JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** Presses the tabulator. */
  tab(): Promise<void>;
  /** What the browser logged: refused styles, missing files, errors of scripts. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-port=0",
];

const message = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.looseObject({}).optional(),
  error: z.unknown().optional(),
});

/** Starts the browser of the path, from `describeWithTools(["chromium"], …)`. */
export async function openBrowser(path: string): Promise<BrowserPage> {
  const profile = mkdtempSync(join(tmpdir(), "browser-test-"));
  const child = spawn(path, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  const socket = await connected(child.stderr);
  const waiting = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
  const complaints: string[] = [];
  let [last, sessionId]: [number, unknown] = [0, undefined];
  let onLoaded: (() => void) | undefined;

  socket.addEventListener("message", ({ data }) => {
    const { id, method, params, result, error } = message.parse(JSON.parse(String(data)));
    if (error !== undefined) complaints.push(JSON.stringify(error));
    if (id !== undefined) waiting.get(id)?.(result ?? {});
    if (method === "Page.loadEventFired") onLoaded?.();
    if (method === "Log.entryAdded" || method === "Runtime.exceptionThrown")
      complaints.push(JSON.stringify(params));
  });

  function send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++last;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  sessionId = (await send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"];
  for (const domain of ["Page", "Log", "Runtime"]) await send(`${domain}.enable`);
  return {
    open: async (url, width) => {
      await send("Emulation.setDeviceMetricsOverride", {
        width,
        height: 800,
        deviceScaleFactor: 1,
        mobile: false,
      });
      const loaded = new Promise<void>((resolve) => (onLoaded = resolve));
      await send("Page.navigate", { url });
      await loaded;
    },
    draw: async (medium) => {
      const features = [{ name: "prefers-color-scheme", value: medium === "dark" ? "dark" : "light" }];
      await send("Emulation.setEmulatedMedia", { media: medium === "print" ? "print" : "screen", features });
    },
    evaluate: async (expression) => {
      const { result } = await send("Runtime.evaluate", {
        expression,
        returnByValue: true,
        awaitPromise: true,
      });
      return z.object({ value: z.unknown() }).parse(result).value;
    },
    tab: async () => {
      const key = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 };
      for (const type of ["rawKeyDown", "keyUp"]) await send("Input.dispatchKeyEvent", { type, ...key });
    },
    complaints,
    close: async () => {
      child.kill();
      await ended;
      // Its other processes write for a moment longer. The synchronous form does not try again.
      await rm(profile, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** The address is the first thing that the browser prints. */
async function connected(output: NodeJS.ReadableStream): Promise<WebSocket> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /DevTools listening on (ws:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    output.resume();
    const socket = new WebSocket(url);
    await once(socket, "open");
    return socket;
  }
  throw new Error("The browser ended before it listened");
}
