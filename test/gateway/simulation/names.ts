/**
 * Names of the simulated world. Some are deliberately hostile, because analytics may return any text
 * (duplicates, quotes, newlines, our own `_other`).
 */
export const keyNames = [
  "billing",
  "search",
  "support-bot",
  "checkout",
  "recommendations",
  "docs",
  "translate",
  "fraud",
  "onboarding",
  "etl",
  "mobile",
  "web",
  "data-science",
  "marketing",
  "legal",
  "ops",
  "qa",
  "research",
  "voice",
  "vision",
] as const;

export const appTitles = [
  "Support Bot",
  "Checkout",
  "Support Bot",
  'He said "hi"',
  "C:\\agents\\new",
  "Two\nlines",
  "Grüße 🚀 日本語",
  "_other",
  "_none",
  "Unknown",
  "Chatroom",
  "",
] as const;

export const vendors = ["aurora", "borealis", "cobalt", "delta", "ember", "fjord"] as const;

/** Prices in micro-credits per 1000 tokens; tokens and latency per request. */
export const modelSizes = [
  {
    name: "large",
    promptPrice: 3000,
    completionPrice: 15_000,
    prompt: 2400,
    completion: 600,
    latencyMs: 2600,
  },
  { name: "mini", promptPrice: 150, completionPrice: 600, prompt: 900, completion: 250, latencyMs: 700 },
  {
    name: "reasoner",
    promptPrice: 1100,
    completionPrice: 4400,
    prompt: 1800,
    completion: 3200,
    latencyMs: 9000,
  },
  {
    name: "pro",
    promptPrice: 15_000,
    completionPrice: 75_000,
    prompt: 3200,
    completion: 900,
    latencyMs: 5200,
  },
  { name: "nano", promptPrice: 50, completionPrice: 200, prompt: 500, completion: 120, latencyMs: 350 },
] as const;

export const hosts = ["Northcloud", "Southcloud", "Basement"] as const;
export const origins = ["https://support.example", "https://shop.example", null] as const;
export const countries = ["DE", "US", "JP", "BR", null] as const;

export const finishReasons = ["stop", "length", "tool_calls"] as const;
export const contextLengthBuckets = ["0-4k", "4k-32k", "32k-128k"] as const;
export const dataRegions = ["global", "europe"] as const;

export const people = [
  ["idp|ada", "Ada"],
  ["idp|grace", "Grace"],
  ["idp|alan-1", "Alan"],
  ["idp|alan-2", "Alan"],
  ["idp|zoe", "Zoë"],
] as const;

export const workspaces = [
  ["6b1f0c1e-52a4-4c3e-9a55-0d6f2c3b7a11", "Research"],
  ["b7a54a0a-1b0e-4f0e-8d1c-9f64c2f4e922", "Production"],
] as const;

export const simulatedClassifier = "3f0e8a52-7c7d-4b6e-8b7a-2f1f5d9c0a10";
export const topics = ["billing", "shipping", "returns", "small_talk"] as const;
export const languages = ["en", "de", "ja"] as const;
