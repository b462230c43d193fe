import type { IncomingMessage } from "node:http";
import type { WebConfig } from "../config/web/web-config.ts";
import { TooManyLoginsError } from "./login-queue.ts";
import type { Passwords } from "./passwords.ts";
import { type Answer, textAnswer } from "./route.ts";

/** The answer to a client without valid credentials; undefined if the client has access. */
export async function refusal(
  { users }: WebConfig,
  passwords: Passwords,
  { headers: { authorization }, socket }: Pick<IncomingMessage, "headers" | "socket">,
): Promise<Answer | undefined> {
  if (users.size === 0) return undefined;
  const login = loginOf(authorization);
  if (!login) return UNAUTHORIZED;
  try {
    const isMatch = await passwords.matches(users, { ...login, address: socket.remoteAddress ?? "" });
    return isMatch ? undefined : UNAUTHORIZED;
  } catch (error) {
    if (!(error instanceof TooManyLoginsError)) throw error;
    return textAnswer(503, "Too many logins at once, try again later\n", { "retry-after": "1" });
  }
}

const UNAUTHORIZED = textAnswer(401, "Unauthorized\n", { "www-authenticate": "Basic" });

/** RFC 7617: the name ends at the first colon. */
function loginOf(authorization: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1];
  const text = encoded === undefined ? "" : Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  if (colon < 0) return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
