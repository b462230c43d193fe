import { hashSync } from "bcryptjs";

/** A bcrypt hash of the lowest cost, so that comparing is quick. */
export function hashedPassword(password: string): string {
  return hashSync(password, 4);
}
