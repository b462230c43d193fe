// Pulumi maps stacks to sources whose paths it shortens ("node_modules/@pulumi/resource.ts"), and on those util.inspect of Node
// 22.23 never returns: any error would hang `pulumi up`. Without the mapping it ends with a message. Before the imports, which may fail.
Reflect.deleteProperty(Error, "prepareStackTrace");
const { program } = await import("./program.ts");

/** Run by `pulumi up`. What it exports are the outputs of the stack. */
export const { metricsUrl, grafanaFolderUrl } = program();
