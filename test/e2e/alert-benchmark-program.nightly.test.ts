import { join } from "node:path";

import { expect, test } from "vitest";

import { launch } from "../support/child.ts";
import { ROOT } from "../support/repository.ts";
import { describeWithTools } from "../support/tools.ts";

/** Without compiled packages, Go compiles Prometheus first. */
const MINUTES = 15;

/** Those of the build, so that both share the compiled packages. */
const BUILD = ["-trimpath", "-tags", "netgo"];

describeWithTools(["go"], "the program of the alert benchmark", ({ go }) => {
  test.each<[name: string, program: string, parameters: readonly string[]]>([
    ["passes its own tests", go, ["test", ...BUILD, "./..."]],
    // This check wants each Seek to be that of io.Seeker. The one in store.go is that of Prometheus' iterators.
    ["has no fault that go vet finds", go, ["vet", "-stdmethods=false", ...BUILD, "./..."]],
  ])("%s", { timeout: MINUTES * 60_000 }, async (_name, program, parameters) => {
    expect(await run(program, parameters)).toEqual({ code: 0, output: expect.any(String) });
  });

  test("is in gofmt's form", async () => {
    // It is not always on PATH with go.
    const [root = ""] = (await run(go, ["env", "GOROOT"])).output.split("\n");
    expect(await run(join(root, "bin", "gofmt"), ["-l", "."])).toEqual({ code: 0, output: "" });
  });
});

async function run(program: string, parameters: readonly string[]) {
  const environment = { ...process.env, CGO_ENABLED: "0" };
  const { ended, stdout, stderr } = launch(program, parameters, {
    directory: join(ROOT, "bench", "alerts"),
    environment,
  });
  const code = await ended;
  return { code, output: stdout() + stderr() };
}
