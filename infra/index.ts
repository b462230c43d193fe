// Pulumi maps stack traces to sources with shortened paths ("node_modules/@pulumi/resource.ts"), on which
// util.inspect of Node 22.23 never returns, so that any error would hang `pulumi up`. Without the mapping, it
// ends with a message. This must run before the imports, which may fail.
Reflect.deleteProperty(Error, "prepareStackTrace");
const { program } = await import("./program.ts");

/** The program that `pulumi up` runs. Its exports are the outputs of the stack. */
export const { metricsUrl, grafanaFolderUrl } = program();
