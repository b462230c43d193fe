import { parentPort, workerData } from "node:worker_threads";
import { inspectConfig } from "./parse.ts";
import { firstProblems } from "./problem.ts";
import { parseYaml } from "./yaml-text.ts";

/** What the worker receives: the text of a configuration. It answers with the first problems. */
export interface InspectionTask {
  readonly inspect: string;
}

if (isTask(workerData)) {
  const yaml = parseYaml(workerData.inspect);
  parentPort?.postMessage(firstProblems(inspectConfig(yaml).problems, yaml.lineOf), []);
}

function isTask(data: unknown): data is InspectionTask {
  return typeof data === "object" && data !== null && "inspect" in data && typeof data.inspect === "string";
}
