import { program } from "./program.ts";

/** Run by `pulumi up`. What it exports are the outputs of the stack. */
export const { metricsUrl, grafanaFolderUrl } = program();
