import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type FaultCase, type Outcome, failing } from "./fault-case.ts";
import { faultCases } from "./fault-cases.ts";
import { faultStory } from "./fault-story.ts";
import { type FaultRow, faultTable } from "./fault-row.ts";
import { valueCases } from "./value-cases.ts";
import dns from "node:dns";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createAuthority } from "../support/certificates.ts";

const authority = createAuthority();
const trusted = authority.issue("localhost");

/** Too long for a host name, so that no DNS server is queried. */
const NO_NAME = `${"x".repeat(64)}.invalid`;

/** Faults of the transport: all keys and queries have one gateway, so all of them fail. */
const gatewayCases: readonly FaultCase[] = [
  {
    title: "DNS failure (whole gateway)",
    ...failing("network"),
    wholeGateway: {
      begin: () => {
        const askForAnother: ProxyHandler<typeof dns.lookup> = {
          apply: (lookup, self, [, ...rest]) => Reflect.apply(lookup, self, [NO_NAME, ...rest]),
        };
        const lookup = new Proxy(dns.lookup, askForAnother);
        vi.spyOn(dns, "lookup").mockImplementation(lookup);
      },
      end: () => void vi.restoreAllMocks(),
    },
  },
  {
    title: "TLS failure: a certificate that is not trusted (whole gateway)",
    ...failing("network"),
    wholeGateway: {
      certificate: trusted,
      begin: (gateway) => gateway.certify(createAuthority()),
      end: (gateway) => gateway.certify(trusted),
    },
  },
];

/** Sets the certificates that the whole process trusts from now on. */
function trust(): void {
  setDefaultCACertificates([...getCACertificates("default"), authority.cert]);
}

const rows: FaultRow[] = [];

/** Puts the whole title into the name of the test. */
function named(cases: readonly FaultCase[]): readonly [string, FaultCase][] {
  return cases.map((faultCase) => [faultCase.title, faultCase]);
}

async function expectCase(_title: string, faultCase: FaultCase): Promise<void> {
  const row = await faultStory(faultCase);
  const [title, key, analytics] = row;
  expect([title, key, analytics]).toEqual([
    faultCase.title,
    outcomeText(faultCase.key),
    outcomeText(faultCase.analytics),
  ]);
  rows.push(row);
}

function outcomeText(outcome: Outcome): string {
  return "reason" in outcome ? `\`${outcome.reason}\`` : "taken";
}

describe("a fault of one key and of one query affects nothing else, and ends with its cause", () => {
  test.each(named([...faultCases, ...valueCases]))("%s", expectCase);
});

describe("a fault of the whole gateway loses no value before its time to live, and ends with its cause", () => {
  beforeAll(trust);
  afterEach(() => void vi.restoreAllMocks());

  test.each(named(gatewayCases))("%s", expectCase);
});

test("the matrix is that of test/golden (otherwise read the difference, then run: npm run faults:update)", async () => {
  await expect(`${faultTable(rows)}\n`).toMatchFileSnapshot("../golden/faults.md");
});
