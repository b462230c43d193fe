import { serveParent } from "../child.ts";
import { watchStalls } from "../statistics.ts";

// Loaded into the exporter's process before the exporter (`node --import`), to report the process's own figures.
const stalls = watchStalls();
serveParent({}, () => ({ stallMs: stalls.longestMs(), rss: process.memoryUsage.rss() }));
