// Plain JavaScript, so that an old Node can say what it lacks.
import { RunError } from "@pulumi/pulumi";

// Pulumi maps stack traces to sources with shortened paths ("node_modules/@pulumi/resource.ts"), on which
// util.inspect of Node 22.23 never returns, so that any error would hang `pulumi up`. Without the mapping, it
// ends with a message. This must run before the other imports, which may fail.
Reflect.deleteProperty(Error, "prepareStackTrace");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  throw new RunError(
    `This program needs Node 22.19 or later, not ${process.versions.node}: run Pulumi through npm run up`,
  );
}
const { program } = await import("./program.ts");

/** The program that `pulumi up` runs. Its exports are the outputs of the stack. */
export const { namespace, workload, configHash, metricsUrl, grafanaFolderUrl, dashboardUrls } =
  await program();
