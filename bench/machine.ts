import { arch, availableParallelism, cpus, release, totalmem, type } from "node:os";

/** Describes the machine of the measurement, without anything that identifies its owner. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const system = `${type()} ${release().split("-")[0]} ${arch()}`;
  return `${model}, ${availableParallelism()} cores, ${memory}, ${system}, Node ${process.version}`;
}
