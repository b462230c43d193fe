import { createServer } from "node:http";

// What any server of Node's costs: the floor. Parameter: the port.
createServer((_request, response) => response.end("# EOF\n")).listen(Number(process.argv[2]), "127.0.0.1");
