import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { ROOT } from "../support/repository.ts";
import { missingSystemd, startSystemd, type Systemd, UNIT } from "../support/systemd.ts";
import { toolPolicy } from "../support/tools.ts";
import { freePorts } from "../support/loopback.ts";
import { until } from "../support/until.ts";

const unit = readFileSync(join(ROOT, "examples", "systemd", UNIT), "utf8");
const start = /^ExecStart=(.+)$/m.exec(unit)?.[1] ?? "";
const CREDENTIALS = `/run/credentials/${UNIT}`;

const missing = missingSystemd();
const policy = toolPolicy(missing === undefined ? [] : [missing], process.env["E2E_REQUIRED"]);
if (policy === "skip") process.stderr.write(`Skipped the unit in a real systemd: needs ${missing}\n`);

describe.skipIf(policy === "skip")("the systemd unit in a real systemd", { timeout: 180_000 }, () =>
  policy === "fail"
    ? test("finds the tools that E2E_REQUIRED=1 demands", () => expect(missing).toBeUndefined())
    : define(),
);

function define(): void {
  let gateway: Gateway;
  let systemd: Systemd;
  let url: string;

  beforeAll(async () => {
    gateway = createGateway();
    const [billing = "", search = ""] = ["billing", "search"].map((name) => gateway.addKey({ name }));
    await gateway.start();
    // A free port instead of the usual one, and a log that the test can read.
    const [port = 0] = await freePorts(1);
    const own = `${unit.replace(start, `${start} --web.listen-address=127.0.0.1:${port}`).replace("healthcheck ", `healthcheck --url=http://127.0.0.1:${port} `)}[Unit]\nStartLimitIntervalSec=0\n[Service]\nRestartSec=1\nStandardError=append:/run/exporter.log\n`;
    systemd = await startSystemd(own, {
      "config.yaml": configuration(["billing"]),
      "keys/billing": billing,
      "keys/search": search,
      "management.key": gateway.managementToken,
    });
    url = `http://127.0.0.1:${port}`;
  }, 120_000);

  afterAll(async () => {
    systemd?.stop();
    await gateway?.stop();
  });

  function configuration(names: readonly string[]): string {
    return JSON.stringify({
      gateway: { base_url: gateway.url },
      keys: names.map((name) => ({ name, api_key_file: `${CREDENTIALS}/keys_${name}` })),
      analytics: { management_key_file: `${CREDENTIALS}/management-key` },
    });
  }

  const keysUp = async (): Promise<readonly string[]> => {
    const text = await fetch(`${url}/metrics`).then(
      (answer) => answer.text(),
      () => "",
    );
    return [...text.matchAll(/^aigateway_key_up\{.*key="(\w+)".*\} 1$/gm)].map(([, key = ""]) => key);
  };

  test("polls with keys that only root can read, as a user without rights that sees no other process", async () => {
    await until("its key", keysUp, (keys) => keys.length === 1);
    const pid = systemd.systemctl("show", "--property=MainPID", "--value", UNIT).stdout.trim();
    const status = systemd.shell(`cat /proc/${pid}/status`);
    expect(status).toMatch(/^Uid:\t6\d{4}\t/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
    expect(systemd.shell(`ls -ln ${CREDENTIALS}`)).toMatch(/^-r-------- 1 6\d{4} /m);
    expect(systemd.shell("stat -c %a /etc/aigateway-exporter/keys/billing")).toBe("600\n");
  });

  test("a reload right after a restart, and a signal that ends it, leave it running", async () => {
    for (let round = 0; round < 3; round++) {
      expect(systemd.systemctl("restart", UNIT)).toMatchObject({ status: 0 });
      expect(systemd.systemctl("reload", UNIT)).toMatchObject({ status: 0 });
    }
    expect(systemd.systemctl("show", "--property=NRestarts", "--value", UNIT).stdout).toBe("0\n");
    systemd.systemctl("kill", "--kill-whom=main", "--signal=INT", UNIT);
    await until(
      "the restart",
      () => systemd.systemctl("show", "--property=NRestarts,ActiveState", UNIT).stdout,
      (text) => text === "NRestarts=1\nActiveState=active\n",
    );
    await until("its key", keysUp, (keys) => keys.length === 1);
  });

  test("a start with a wrong configuration fails at once", () => {
    const file = "/etc/aigateway-exporter/config.yaml";
    systemd.shell(`mv ${file} ${file}.right; echo 'keys: 7' > ${file}`);
    expect(systemd.systemctl("restart", UNIT)).toMatchObject({ status: 1 });
    systemd.shell(`mv ${file}.right ${file}`);
    expect(systemd.systemctl("restart", UNIT)).toMatchObject({ status: 0 });
  });

  test("reloads, and logs the problems of a wrong configuration", async () => {
    systemd.shell(
      `cat > /etc/aigateway-exporter/config.yaml <<'X'\n${configuration(["billing", "search"])}\nX`,
    );
    expect(systemd.systemctl("reload", UNIT)).toMatchObject({ status: 0 });
    await until("both keys", keysUp, (keys) => keys.length === 2);
    systemd.shell("echo 'keys: 7' > /etc/aigateway-exporter/config.yaml");
    systemd.systemctl("reload", UNIT);
    await until("the problem", systemd.log, (text) =>
      text.includes("the running configuration is unchanged"),
    );
    expect(systemd.log()).toContain("keys: 7 is not a list");
    expect(systemd.systemctl("is-active", UNIT).stdout).toBe("active\n");
    expect(await keysUp()).toHaveLength(2);
  });

  test("stops with success", () => {
    expect(systemd.systemctl("stop", UNIT)).toMatchObject({ status: 0 });
    expect(systemd.systemctl("show", "--property=Result", "--value", UNIT).stdout).toBe("success\n");
  });
}
