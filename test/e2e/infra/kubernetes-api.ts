import { Agent, request } from "node:https";

/** How to reach an API server, as an administrator. */
export interface Access {
  /** `https://127.0.0.1:40123` */
  readonly url: string;
  readonly token: string;
  /** PEM of the authority that signed its certificate. */
  readonly authority: string;
}

export interface KubernetesAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Calls of the Kubernetes API. A refused call throws, except for `call`. */
export interface KubernetesApi {
  call(method: string, path: string, body?: unknown, type?: string): Promise<KubernetesAnswer>;
  get(path: string): Promise<unknown>;
  create(path: string, body: unknown): Promise<unknown>;
  /** Strategic merge for built-in kinds. */
  patch(path: string, body: unknown): Promise<unknown>;
  delete(path: string, body?: unknown): Promise<void>;
  /** Whether an object exists. */
  exists(path: string): Promise<boolean>;
  close(): void;
}

export function kubernetesApi(access: Access): KubernetesApi {
  const agent = new Agent({ keepAlive: true, ca: access.authority, maxSockets: 8 });
  const call: KubernetesApi["call"] = (method, path, body, type = "application/json") =>
    send(access, agent, { method, path, body, type });
  const must = async (method: string, path: string, body?: unknown, type?: string): Promise<unknown> => {
    const answer = await call(method, path, body, type);
    if (answer.status < 300) return answer.body;
    throw new Error(`Cannot ${method} "${path}": ${answer.status}: ${JSON.stringify(answer.body)}`);
  };
  return {
    call,
    get: (path) => must("GET", path),
    create: (path, body) => must("POST", path, body),
    patch: (path, body) => must("PATCH", path, body, "application/strategic-merge-patch+json"),
    delete: async (path, body) => {
      const { status } = await call("DELETE", path, body);
      if (status >= 300 && status !== 404) throw new Error(`Cannot DELETE "${path}": ${status}`);
    },
    exists: async (path) => (await call("GET", path)).status === 200,
    close: () => agent.destroy(),
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly type: string;
}

function send(
  { url, token }: Access,
  agent: Agent,
  { method, path, body, type }: Call,
): Promise<KubernetesAnswer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    // Node sends the body of a DELETE without its length, so the server would read it as the next request.
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": type,
      "content-length": Buffer.byteLength(text),
    };
    const outgoing = request(url + path, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks)) }),
      );
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

function parsed(bytes: Buffer): unknown {
  const text = bytes.toString();
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
