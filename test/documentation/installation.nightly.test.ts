import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type Cluster, startCluster } from "../e2e/infra/cluster.ts";
import { NAMESPACE, readyPods } from "../e2e/infra/deployment.ts";
import { createStack, type TestStack } from "../e2e/infra/pulumi-stack.ts";
import { freePorts } from "../support/loopback.ts";
import { STACK_TOOLS } from "../e2e/infra/stack-stage.ts";
import { installPackage } from "../support/installed-package.ts";
import { ROOT } from "../support/repository.ts";
import { missingSystemd, startSystemd } from "../support/systemd.ts";
import { describeWithTools, toolPath } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** The pages on installation, and the commands of their blocks that no test has run. */
const left = new Map(
  [
    "README.md",
    "docs/install.md",
    "docs/linux-server.md",
    "docs/deploy.md",
    "docs/dashboards.md",
    "charts/aigateway-exporter/README.md",
  ].map((path) => [path, commandsOf(readFileSync(join(ROOT, path), "utf8"))]),
);

/** How commands begin that are not run here, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "npm ci": "it precedes every test",
  "npm run demo": "test/demo.story.test.ts starts it",
  "docker build":
    "the base images are in a registry; test/e2e/image.nightly.test.ts builds the image over others",
  "docker run": "the same test runs it with podman",
  'printf %s "$API_KEY"':
    "for Docker Compose, whose file test/compose.story.test.ts loads with its own library",
  $EDITOR: "the same",
  "docker compose": "the same; its images are in a registry",
  "npm install --global": "installPackage takes it from the page",
  "kubectl -n aigateway-exporter port-forward": "the node of the tests has no streams",
};

const TOOLS = [...STACK_TOOLS, "helm"] as const;
const hasSystemd = missingSystemd() === undefined;
const PATIENCE = { timeout: 300_000 };
const DOCUMENTED_GATEWAY = "https://gateway.example/api/v1";

let gateway: Gateway;
let billing: string;
let folder: string;

beforeAll(async () => {
  gateway = createGateway();
  billing = gateway.addKey({ name: "billing" });
  await gateway.start();
  folder = mkdtempSync(join(tmpdir(), "installation-test-"));
});

afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("README.md: a checkout checks its configuration at the gateway, and polls", PATIENCE, async () => {
  const checkout = join(folder, "checkout");
  for (const name of ["exporter", "package.json"])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const [, config = ""] =
    /```yaml\n( +gateway:[^]*?)```/.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
  writeFileSync(join(checkout, "config.yaml"), config.replace("https://openrouter.ai/api/v1", gateway.url));
  writeFileSync(join(checkout, "management.key"), gateway.managementToken);
  const [check = "", run = ""] = take("README.md", "npm start", 2);
  expect(await shell(check, checkout)).toContain("config.yaml: is valid");
  await polls(run, checkout);
});

test(
  "docs/install.md, npm: the package checks its configuration, polls, and simulates a gateway",
  PATIENCE,
  async () => {
    const home = join(folder, "npm");
    mkdirSync(home);
    const { prefix } = installPackage(home);
    mkdirSync(join(home, "node_modules"));
    const installed = join(prefix, "lib", "node_modules", "aigateway-exporter");
    symlinkSync(installed, join(home, "node_modules", "aigateway-exporter"));
    symlinkSync(join(prefix, "bin"), join(home, "node_modules", ".bin"));
    writeFileSync(join(home, "package.json"), "{}");
    writeFileSync(join(home, "config.yaml"), configuration(`${home}/billing.key`));
    writeFileSync(join(home, "billing.key"), billing);
    const [version = "", check = "", run = "", simulate = "", demo = ""] = take("docs/install.md", "npx", 5);
    expect(await shell(version, home)).toMatch(/^aigateway-exporter \d/);
    expect(await shell(check, home)).toContain("config.yaml: is valid");
    await polls(run, home);
    await serve(`${simulate} --port=0`, home, /Ctrl-C/);
    await polls(demo, home);
  },
);

test.skipIf(!hasSystemd)("docs/linux-server.md: systemd starts the service", PATIENCE, async () => {
  const systemd = await startSystemd("", {});
  onTestFinished(() => systemd.stop());
  const [port = 0] = await freePorts(1);
  const edits: Readonly<Record<string, string>> = {
    "cat > /etc/aigateway-exporter/keys/billing": `echo ${billing} > /etc/aigateway-exporter/keys/billing`,
    "cat > /etc/aigateway-exporter/management.key": `echo ${gateway.managementToken} > /etc/aigateway-exporter/management.key`,
    "systemctl daemon-reload": `sed -i 's#^ExecStart=.*#& --web.listen-address=127.0.0.1:${port}#;s# healthcheck #&--url=http://127.0.0.1:${port} #' /etc/systemd/system/*.service; systemctl daemon-reload`,
    "http://127.0.0.1:9853/metrics": `http://127.0.0.1:${port}/metrics`,
    [DOCUMENTED_GATEWAY]: gateway.url,
  };
  const edited = (text: string) =>
    Object.entries(edits).reduce((done, [before, after]) => done.replace(before, after), text);
  const [nodeVersion = ""] = take("docs/linux-server.md", "node --version");
  expect(systemd.shell(nodeVersion)).toMatch(/^v22/);
  const [...setup] = take("docs/linux-server.md", "ln -s", 13);
  const metrics = edited(setup.pop() ?? "");
  const written = systemd.shell(
    `cd ${ROOT}; set -e; ${setup.map(edited).join("\n")}\naigateway-exporter --version`,
  );
  expect(written).toMatch(/Active: active \(running\)[^]*\naigateway-exporter \d/);
  await until(
    "its key",
    () => systemd.shell(metrics),
    (text) => text.includes('{key="billing"} 1'),
  );
});

describeWithTools(TOOLS, "on a Kubernetes API", (tools) => {
  let cluster: Cluster;
  let stack: TestStack;

  beforeAll(async () => {
    cluster = await startCluster(tools);
    stack = await createStack(tools.pulumi, cluster.kubeconfig);
    for (const name of ["charts", "examples", "scripts"])
      cpSync(join(ROOT, name), join(stack.project, name), { recursive: true });
    writeFileSync(join(stack.project, "billing.key"), billing);
    writeFileSync(join(stack.project, "management.key"), gateway.managementToken);
  }, PATIENCE.timeout);

  afterAll(async () => {
    stack?.remove();
    await cluster?.stop();
  }, PATIENCE.timeout);

  const run = async (command: string, input = "") => {
    const { code, output } = await stack.shell(command, input);
    expect(code, `${command}\n${output}`).toBe(0);
    return output;
  };
  const edit = (file: string) => {
    const path = join(stack.project, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(DOCUMENTED_GATEWAY, gateway.url));
  };
  const showsKey = async () =>
    until(
      "the key",
      async () => {
        const [pod] = await readyPods(cluster.api);
        return pod ? (await fetch(`${pod.url}/metrics`)).text() : "";
      },
      (text) => /^aigateway_key_up\{.*\} 1$/m.test(text),
    );

  test("docs/install.md, Helm: the chart", PATIENCE, async () => {
    const [, values = ""] =
      /```yaml\n# values.yaml\n([^]*?)```/.exec(readFileSync(join(ROOT, "docs", "install.md"), "utf8")) ?? [];
    writeFileSync(join(stack.project, "values.yaml"), values.replace(DOCUMENTED_GATEWAY, gateway.url));
    for (const command of take("docs/install.md", "kubectl create namespace", 4)) await run(command);
    expect(await showsKey()).toContain('aigateway_key_up{key="billing"} 1');
    await run(`helm uninstall ${NAMESPACE} --namespace ${NAMESPACE} --wait`);
  });

  test("docs/install.md, kubectl: the manifests", PATIENCE, async () => {
    edit("examples/kubernetes/exporter.yaml");
    for (const command of take("docs/install.md", "kubectl apply", 2)) await run(command);
    expect(await showsKey()).toContain('aigateway_key_up{key="billing"} 1');
    await run(`kubectl delete namespace ${NAMESPACE}`);
  });

  test("the README of the chart", PATIENCE, async () => {
    const path = "charts/aigateway-exporter/README.md";
    const [, values = ""] = /```yaml\n([^]*?)```/.exec(readFileSync(join(ROOT, path), "utf8")) ?? [];
    writeFileSync(join(stack.project, "values.yaml"), values.replace(DOCUMENTED_GATEWAY, gateway.url));
    for (const command of take(path, "kubectl create secret", 2)) await run(command);
    const end = "helm uninstall aigateway-exporter --wait && kubectl delete secret aigateway-management";
    expect(await run(end)).toContain("uninstalled");
  });

  test("docs/deploy.md: from the first command to destroy", PATIENCE, async () => {
    const [copy = "", init = "", setKey = "", setManagement = "", preview = "", up = ""] = take(
      "docs/deploy.md",
      "cp",
      6,
    );
    await run(copy);
    edit("Pulumi.production.yaml");
    await run(init);
    await run(setKey, billing);
    await run(setManagement, gateway.managementToken);
    expect(await run(preview)).toContain("to create");
    expect(await run(`${up.replace(/ *#.*/, "")} -- --yes`)).toContain("created");
    const [pods = "", hash = "", logs = "", drift = "", manifests = "", deployer = "", token = ""] = [
      ...take("docs/deploy.md", "kubectl -n aigateway-exporter get pods"),
      ...take("docs/deploy.md", "printf", 6),
    ];
    expect(await run(pods)).toMatch(/1\/1 +Running/);
    expect(await showsKey()).toContain('aigateway_key_up{key="billing"} 1');
    expect(await run(logs)).toContain(`"config_hash":${(await run(hash)).trim()}`);
    await run(drift);
    expect(await run(`${manifests} && cat objects.yaml`)).toContain("kind: Deployment");
    await run(deployer);
    expect(await run(token)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\s*$/);
    await run("pulumi destroy --yes");
    expect(await readyPods(cluster.api)).toEqual([]);
  });
});

describe.skipIf(!hasSystemd || TOOLS.some((name) => toolPath(name) === undefined))("the pages", () => {
  test("have no other command but those that are run elsewhere", () => {
    const commands = [...left.values()].flat();
    const starts = Object.keys(ELSEWHERE);
    expect(commands.filter((each) => !starts.some((start) => each.startsWith(start)))).toEqual([]);
    expect(starts.filter((start) => !commands.some((each) => each.startsWith(start)))).toEqual([]);
  });
});

/** The commands of the blocks of a shell; a here-document belongs to its command. */
function commandsOf(text: string): string[] {
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)]
    .flatMap(([, indent = "", block = ""]) => {
      const lines = block.replaceAll(new RegExp(`^${indent}`, "gm"), "");
      return [...lines.matchAll(/^.*<<'END'\n[^]*?\nEND$|^(?:.*\\\n)*.+$/gm)].map(([command]) => command);
    })
    .filter((command) => command.trim() !== "");
}

/** Takes commands from a page, from the first one that begins so. */
function take(page: string, start: string, count = 1): readonly string[] {
  const commands = left.get(page) ?? [];
  const first = commands.findIndex((each) => each.startsWith(start));
  const taken = first < 0 ? [] : commands.splice(first, count);
  expect(taken, `${page}: ${start}`).toHaveLength(count);
  return taken;
}

function configuration(keyFile: string): string {
  return `gateway: { base_url: "${gateway.url}" }\nkeys: [{ name: billing, api_key_file: "${keyFile}" }]\n`;
}

const env = { ...process.env, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };

async function shell(command: string, cwd: string): Promise<string> {
  return (await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", command], { cwd, env }))
    .stdout;
}

/** Starts a command that serves until the end of the test, and waits until it has written that. */
async function serve(command: string, cwd: string, written: RegExp): Promise<RegExpExecArray | null> {
  // Its children end with it.
  const child: ChildProcess = spawn("bash", ["-c", command.replace(/ +#.*/, "")], {
    cwd,
    env,
    detached: true,
  });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"));
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => void (log += text));
  return written.exec(
    await until(
      command,
      () => log,
      (text) => written.test(text),
    ),
  );
}

async function polls(command: string, cwd: string): Promise<void> {
  const flag = "--web.listen-address=127.0.0.1:0";
  const [, url = ""] =
    (await serve(`${command.replace(/ +#.*/, "")} ${flag}`, cwd, /(http:\/\/127\.0\.0\.1:\d+)"/)) ?? [];
  await until(
    "a key",
    async () => (await fetch(`${url}/metrics`)).text(),
    (text) => /^aigateway_(?:key|account)_up\{.*\} 1$|^aigateway_account_balance_credits/m.test(text),
  );
}
