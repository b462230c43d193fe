import { arch, availableParallelism, cpus, release, totalmem, type } from "node:os";

/** What the figures were measured on; nothing that tells whose it is. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const system = `${type()} ${release().split("-")[0]} ${arch()}`;
  return `${model}, ${availableParallelism()} cores, ${memory}, ${system}, Node ${process.version}`;
}
