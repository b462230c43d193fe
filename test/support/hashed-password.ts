import { hashSync } from "bcryptjs";

/** A bcrypt hash of the lowest cost, which is quick to compare with. */
export function hashedPassword(password: string): string {
  return hashSync(password, 4);
}
