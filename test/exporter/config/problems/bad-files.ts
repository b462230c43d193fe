import { expect, describe, test } from "vitest";
import { loadText } from "../../secrets/simulated-files.ts";

export const GATEWAY = "gateway: {base_url: https://gateway.example/api/v1}\n";
export const KEYS = "keys: [{name: billing, api_key_file: /secrets/billing}]\n";

/** A text with all its problems, in order, as `path: message`. */
export type BadFile = readonly [text: string, ...problems: string[]];

/** Each file must be refused with exactly these problems. */
export function badFiles(title: string, table: readonly BadFile[]): void {
  describe(`loadConfig refuses: ${title}`, () => {
    test.each(table.map(([text, ...problems]) => ({ text, problems })))(
      "$text",
      async ({ text, problems }) => {
        const result = await loadText(text, SURROUNDINGS);
        const lines = result.ok
          ? []
          : result.problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
        expect(lines).toEqual(problems);
        expect(result.ok).toBe(false);
        // The password that the table plants in many places.
        expect(lines.join("\n")).not.toContain("hunter");
      },
    );
  });
}

const SURROUNDINGS = {
  files: {
    "/secrets/billing": "sk-one\n",
    "/bad/empty": "",
    "/twins/billing": "sk-one",
    "/twins/other": "sk-two",
    "/none/..data/billing": "sk-one",
    "/none/Bad": "sk-one",
  },
  unreadable: { "/denied": "EACCES" },
  env: { SEARCH_KEY: "sk-two", EMPTY_KEY: "" },
};
