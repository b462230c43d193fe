import { createServer } from "node:http";

// A bare Node.js server: the lower bound of any server's cost. Parameter: the port.
createServer((_request, response) => response.end("# EOF\n")).listen(Number(process.argv[2]), "127.0.0.1");
