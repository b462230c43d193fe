import { renderConfigurationDocs } from "./configuration-docs.ts";
import { renderMetricsDocs } from "./metrics-docs.ts";

export interface GeneratedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly render: () => string | Promise<string>;
}

/** Every file that `npm run generate` writes; `test/docs.test.ts` says when one is out of date. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: "docs/configuration.md", render: renderConfigurationDocs },
  { path: "docs/metrics.md", render: renderMetricsDocs },
];
