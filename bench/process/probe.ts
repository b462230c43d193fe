import { serveParent } from "../child.ts";
import { watchStalls } from "../statistics.ts";

// Loaded into the exporter's process before the exporter (`node --import`), to report the process's own figures.
const stalls = watchStalls();
serveParent({}, () => {
  const { user, system } = process.cpuUsage();
  return { stallMs: stalls.longestMs(), cpuMs: (user + system) / 1000, rss: process.memoryUsage.rss() };
});
