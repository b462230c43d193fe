/** Why an address cannot be listened on, for people. */
export function listenFault(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return FAULTS.get(code) ?? code;
}

const FAULTS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "the address is in use; choose another or port 0"],
  ["EACCES", "not permitted; ports below 1024 may need a privilege"],
  ["EADDRNOTAVAIL", "the address is none of this machine"],
  ["ENOTFOUND", "the host is not known"],
  ["EAI_AGAIN", "the host cannot be looked up now"],
  ["EAFNOSUPPORT", "addresses of this kind are not supported on this machine"],
]);
