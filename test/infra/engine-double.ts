import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import {
  GetRootResourceResponse,
  LogRequest,
  LogSeverity,
  RequirePulumiVersionResponse,
  SetRootResourceResponse,
} from "@pulumi/pulumi/proto/engine_pb.js";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import {
  RegisterPackageResponse,
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  RegisterResourceResponse,
  SupportsFeatureResponse,
} from "@pulumi/pulumi/proto/resource_pb.js";
import { z } from "zod";

/** A resource as the SDK's runner registered it over the wire. */
export interface EngineResource {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** An engine that answers a program like `pulumi up` on an empty stack, and records the calls. */
export interface EngineDouble {
  readonly address: string;
  readonly resources: readonly EngineResource[];
  /** Outputs of the stack. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly errors: readonly string[];
  stop(): void;
}

/** Starts it on a free port. */
export async function startEngineDouble(): Promise<EngineDouble> {
  const state: State = { resources: [], outputs: {}, errors: [] };
  const server = new Server();
  server.addService(bytesService(ResourceMonitorService), monitor(state));
  server.addService(bytesService(EngineService), engine(state));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    resources: state.resources,
    get outputs() {
      return state.outputs;
    },
    errors: state.errors,
    stop: () => server.forceShutdown(),
  };
}

interface State {
  readonly resources: EngineResource[];
  outputs: Readonly<Record<string, unknown>>;
  readonly errors: string[];
}

interface Message {
  serializeBinary(): Uint8Array;
}

const properties = z.record(z.string(), z.unknown());
const EMPTY = Buffer.alloc(0);
const STACK = "pulumi:pulumi:Stack";

function monitor(state: State): UntypedServiceImplementation {
  return {
    supportsFeature: answer(() => {
      const response = new SupportsFeatureResponse();
      response.setHassupport(true);
      return response;
    }),
    registerResource: answer((request) => {
      if (!(request instanceof RegisterResourceRequest))
        throw new Error("Cannot register a request that is not a resource");
      const [type, name, parent] = [request.getType(), request.getName(), request.getParent()];
      state.resources.push({
        type,
        name,
        parent,
        inputs: properties.parse(request.getObject()?.toJavaScript() ?? {}),
      });
      const response = new RegisterResourceResponse();
      response.setUrn(`urn:pulumi:test::aigateway-exporter::${type}::${name}`);
      if (request.getCustom()) response.setId(`${name}-id`);
      response.setObject(request.getObject());
      return response;
    }),
    registerResourceOutputs: answer((request) => {
      if (request instanceof RegisterResourceOutputsRequest && request.getUrn().includes(STACK)) {
        state.outputs = properties.parse(request.getOutputs()?.toJavaScript() ?? {});
      }
      return undefined;
    }),
    registerPackage: answer(() => new RegisterPackageResponse()),
    registerResourceHook: answer(() => undefined),
    signalAndWaitForShutdown: answer(() => undefined),
  };
}

function engine({ errors }: State): UntypedServiceImplementation {
  return {
    log: answer((request) => {
      if (request instanceof LogRequest && PROBLEMS.includes(request.getSeverity()))
        errors.push(request.getMessage());
      return undefined;
    }),
    getRootResource: answer(() => new GetRootResourceResponse()),
    setRootResource: answer(() => new SetRootResourceResponse()),
    requirePulumiVersion: answer(() => new RequirePulumiVersionResponse()),
  };
}

const PROBLEMS: readonly LogSeverity[] = [LogSeverity.WARNING, LogSeverity.ERROR];

function answer(reply: (request: unknown) => Message | undefined): handleUnaryCall<unknown, Buffer> {
  return ({ request }, callback) => {
    try {
      const response = reply(request);
      callback(null, response ? Buffer.from(response.serializeBinary()) : EMPTY);
    } catch (error) {
      callback({ code: status.INTERNAL, message: String(error) });
    }
  };
}

/** The service with raw bytes as answers, because the generated service needs messages from a package without types. */
function bytesService(service: typeof ResourceMonitorService | typeof EngineService) {
  const methods = Object.entries(service).map(([name, method]) => [
    name,
    { ...method, responseSerialize: (bytes: Buffer) => bytes },
  ]);
  return Object.fromEntries(methods);
}
