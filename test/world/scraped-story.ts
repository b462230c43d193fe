import type { ScrapedStory } from "./alert-verdict.ts";
import { createCoverage } from "./calendar.ts";
import { justifiedAlerts } from "./justified-alerts.ts";
import { runStory } from "./run-story.ts";
import { type ShortStory, wholeStory } from "./story.ts";
import type { World } from "./world.ts";

/** Runs a story, and keeps what a Prometheus scrapes each minute. @throws Error if it breaks an invariant. */
export async function scrapedStory(name: string, short: ShortStory): Promise<ScrapedStory> {
  const story = wholeStory({ ...short, scrapeSeconds: 60 });
  const scrapes: (string | undefined)[] = [];
  let world: World | undefined;
  const violation = await runStory(story, createCoverage(), (lived) => {
    world = lived;
    return {
      scraped: ({ at, text }) => {
        const minute = Math.ceil(at / 60_000);
        while (scrapes.length < minute) scrapes.push(undefined);
        scrapes[minute] = text;
        return [];
      },
    };
  });
  if (violation) throw new Error(`${violation.invariant}: ${violation.message}`);
  if (!world) throw new Error("The story has no world");
  const minutes = Math.min(story.minutes, scrapes.length);
  return {
    name,
    start: story.start,
    minutes,
    scrapes: scrapes.slice(0, minutes),
    alerts: justifiedAlerts(world, minutes),
    isCalm: story.events.every((event) => event.do !== "fault"),
  };
}
