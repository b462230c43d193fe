import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { Server } from "node:net";

// A file of the fast project has neither processes nor ports.
const forbidden = (): never => {
  throw new Error("a test that starts a process or opens a port is named *.story.test.ts");
};
Object.assign(childProcess, {
  spawn: forbidden,
  spawnSync: forbidden,
  execFile: forbidden,
  execFileSync: forbidden,
  fork: forbidden,
});
syncBuiltinESMExports();
Server.prototype.listen = forbidden;
