import { Server, ServerCredentials } from "@grpc/grpc-js";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb.js";
import messages, { type RunRequest, type RunResponse } from "@pulumi/pulumi/proto/language_pb.js";
import plugins from "@pulumi/pulumi/proto/plugin_pb.js";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";

/**
 * Pulumi's host of Node programs, as far as `up`, `preview`, `refresh` and `destroy` ask it: a program that the engine starts, and
 * that runs `@pulumi/pulumi/cmd/run` with the flags, variables and exit codes of the official one, which no registry has.
 */
const engine = process.argv.at(-1) ?? "";

/** The exit code of a program that has shown its errors. */
const SHOWN = 32;

type Answer = (error: null, response: object) => void;

const server = new Server();
server.addService(LanguageRuntimeService, {
  handshake: (_call: unknown, answer: Answer) => answer(null, new messages.LanguageHandshakeResponse()),
  getRequiredPackages: (_call: unknown, answer: Answer) =>
    answer(null, new messages.GetRequiredPackagesResponse()),
  getPluginInfo: (_call: unknown, answer: Answer) => answer(null, new plugins.PluginInfo()),
  run: ({ request }: { readonly request: RunRequest }, answer: Answer) =>
    void run(request).then((response) => answer(null, response)),
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});

// It does not outlive an engine that is killed.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit();
}, 1000).unref();

async function run(request: RunRequest): Promise<RunResponse> {
  const info = request.getInfo();
  const flags = {
    monitor: request.getMonitorAddress(),
    engine,
    project: request.getProject(),
    stack: request.getStack(),
    organization: request.getOrganization(),
    pwd: request.getPwd(),
    parallel: request.getParallel(),
    "root-directory": info?.getRootDirectory(),
  };
  const parameters = [
    createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run"),
    ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    info?.getEntryPoint() ?? "",
  ];
  const program = spawn("node", parameters, {
    cwd: info?.getProgramDirectory(),
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().getEntryList())),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    },
  });
  const [code]: unknown[] = await once(program, "exit");
  const response = new messages.RunResponse();
  if (code === SHOWN) response.setBail(true);
  else if (code !== 0) response.setError(`Program exited with non-zero exit code: ${String(code)}`);
  return response;
}
