import { describe, expect, test } from "vitest";
import { loadText, problemLines } from "../secrets/simulated-files.ts";

const PLANTED = "sk-or-v1-planted0123456789abcdef";
const GATEWAY = "gateway: {base_url: https://gateway.example/api/v1}\n";
const ENTRY = (fields: string) => `${GATEWAY}keys:\n  - {${fields}}\n`;

describe("no message contains a secret in the wrong place", () => {
  test.each([
    ["as api_key", ENTRY(`name: billing, api_key: ${PLANTED}`)],
    ["as api_key_env", ENTRY(`name: billing, api_key_env: ${PLANTED}`)],
    ["as api_key_file", ENTRY(`name: billing, api_key_file: ${PLANTED}`)],
    ["as a wrong name", ENTRY(`name: "${PLANTED} ", api_key_file: /x`)],
    ["as the keys", `${GATEWAY}keys: ${PLANTED}\n`],
    ["as a field", ENTRY(`name: billing, ${PLANTED}: 1`)],
    ["as a flag", ENTRY(`name: billing, api_key_file: /x, show_label: ${PLANTED}`)],
    ["as the folder of keys", `${GATEWAY}keys_dir: ${PLANTED}\n`],
    ["as the management key", `${GATEWAY}analytics: {management_key: ${PLANTED}}\n`],
    [
      "as a schedule",
      `${GATEWAY}keys_dir: /x\nschedule: {keys: ${PLANTED}, analytics: "${PLANTED} * * * *"}\n`,
    ],
    ["as a number", `gateway: {connections: ${PLANTED}, timeout: ${PLANTED}, max_body: ${PLANTED}}\n`],
    ["in base_url", `gateway: {base_url: "https://x:${PLANTED}@gateway.example"}\n`],
    ["as base_url", `gateway: {base_url: ${PLANTED}}\n`],
    ["as the whole file", PLANTED],
    ["beside a missing bracket", `${GATEWAY}keys: [{name: billing, api_key: ${PLANTED}\n`],
    ["beside a tab", `${GATEWAY}keys:\n\tapi_key: ${PLANTED}\n`],
    ["beside an unknown escape", `${GATEWAY}api_key: "${PLANTED}\\q"\n`],
    ["as an anchor and an alias", `${GATEWAY}api_key: *${PLANTED}\n`],
    ["as a tag", `${GATEWAY}api_key: !${PLANTED} x\n`],
    ["as a repeated field", `${GATEWAY}${PLANTED}: 1\n${PLANTED}: 2\n`],
  ])("%s", async (_place, text) => {
    const lines = await problemLines(text);
    expect(lines).not.toEqual([]);
    expect(lines.join("\n")).not.toMatch(/planted|0123456789/i);
  });

  test("in files and variables without a valid secret", async () => {
    const lines = await problemLines(ENTRY("name: a, api_key_file: /a}\n  - {name: b, api_key_env: B"), {
      files: { "/a": `${PLANTED}\n${PLANTED}\n` },
      env: { B: ` ${PLANTED}` },
    });
    expect(lines).toHaveLength(2);
    expect(lines.join("\n")).not.toContain("planted");
  });

  test("in warnings", async () => {
    const result = await loadText(
      ENTRY("name: a, api_key_file: /k/a}\n  - {name: b, api_key_file: /k/a") + "keys_dir: /d\n",
      {
        files: { "/k/a": PLANTED, [`/d/${PLANTED} `]: PLANTED, "/d/c": `${PLANTED} ${PLANTED}` },
      },
    );
    const warnings = result.ok ? result.warnings : [];
    expect(warnings).toHaveLength(3);
    expect(warnings.join("\n")).not.toContain("planted");
  });
});
