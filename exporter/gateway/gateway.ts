import type { GatewayConfig } from "../config/config.ts";
import type { SecretSource } from "../config/secret.ts";
import { type AnalyticsAnswer, queryAnalytics } from "./analytics.ts";
import type { AnalyticsRequest } from "./analytics-request.ts";
import { createHttp, type HttpDependencies } from "./http.ts";
import { type KeyInformation, readKey } from "./key.ts";
import { transcribe, type Transcription, type TranscriptionCall } from "./transcription.ts";
import type { TranscriptionRequest } from "./transcription-request.ts";

/** The service as collectors see it: one method for each operation, typed both ways. Errors are those of the operations. */
export interface Gateway {
  readKey(name: string, secret: SecretSource, signal: AbortSignal): Promise<KeyInformation>;
  queryAnalytics(
    target: string,
    request: AnalyticsRequest,
    secret: SecretSource,
    signal: AbortSignal,
  ): Promise<AnalyticsAnswer>;
  close(): Promise<void>;
}

/** The service with the operation that costs money; collectors do not get to see it. */
export interface PaidGateway extends Gateway {
  transcribe(
    call: TranscriptionCall,
    request: TranscriptionRequest,
    signal: AbortSignal,
  ): Promise<Transcription>;
}

export function createGateway(config: GatewayConfig, dependencies: HttpDependencies): PaidGateway {
  const http = createHttp(config, dependencies);
  return {
    readKey: (...call) => readKey(http, ...call),
    queryAnalytics: (...call) => queryAnalytics(http, ...call),
    transcribe: (...call) => transcribe(http, ...call),
    close: () => http.close(),
  };
}
