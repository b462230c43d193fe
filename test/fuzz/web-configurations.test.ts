import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadWebConfig } from "../../exporter/config/web/load.ts";
import { changedPlaces, faultsOfProblems, HELD, mutated } from "./configuration-texts.ts";
import { runs, TIMEOUT_MS } from "./runs.ts";

const HASH = `$2y$10$${"a".repeat(53)}`;
const EXAMPLE = `# TLS is not in it: the example must be valid without files.
http_server_config:
  http2: false
  headers:
    X-Frame-Options: deny
    Strict-Transport-Security: max-age=31536000
basic_auth_users:
  prometheus: ${HASH}
  grafana: "${HASH}"
`;
const WITH_TLS = `${EXAMPLE}tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: /etc/ca.crt
  min_version: TLS13
  cipher_suites: [TLS_AES_128_GCM_SHA256]
`;

/** Whether it was accepted. The files that it names contain no certificates. */
async function faultsOf(text: string): Promise<{ readonly ok: boolean; readonly faults: readonly string[] }> {
  const readFile = (path: string) => Promise.resolve(path === "/web.yaml" ? text : HELD);
  const result = await loadWebConfig("/web.yaml", { readFile });
  return { ok: result.ok, faults: result.ok ? [] : faultsOfProblems(result.problems) };
}

async function outcomes(texts: fc.Arbitrary<string>, count: number) {
  const seen = { ok: 0, refused: 0 };
  const property = fc.asyncProperty(texts, async (text) => {
    const { ok, faults } = await faultsOf(text);
    expect(faults).toEqual([]);
    seen[ok ? "ok" : "refused"] += 1;
  });
  await fc.assert(property, runs(count));
  return seen;
}

describe("any web configuration is accepted or refused with paths, and shows no secret", () => {
  test("the example is accepted, and refused if its files are not certificates", async () => {
    expect(await faultsOf(EXAMPLE)).toEqual({ ok: true, faults: [] });
    expect(await faultsOf(WITH_TLS)).toEqual({ ok: false, faults: [] });
  });

  test(
    "with some characters changed",
    async () => {
      expect((await outcomes(mutated(EXAMPLE), 300)).ok).toBeGreaterThan(5);
      expect((await outcomes(mutated(WITH_TLS), 150)).refused).toBeGreaterThan(100);
    },
    TIMEOUT_MS,
  );

  test(
    "with any value in some places",
    async () => {
      expect((await outcomes(changedPlaces(parse(EXAMPLE)), 200)).refused).toBeGreaterThan(50);
      expect((await outcomes(changedPlaces(parse(WITH_TLS)), 200)).refused).toBeGreaterThan(100);
    },
    TIMEOUT_MS,
  );
});
