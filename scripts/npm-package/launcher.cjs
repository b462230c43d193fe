#!/usr/bin/env node
"use strict";
// The command of the npm package. Its syntax is old on purpose, so that an older Node can parse it and print one clear line.
const { engines } = require("../package.json");

const [wanted, actual] = [engines.node.replace(">=", ""), process.versions.node];
const [wantedMajor, wantedMinor] = wanted.split(".").map(Number);
const [major, minor] = actual.split(".").map(Number);
const parameters = process.argv.slice(2);

if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
  process.stderr.write(
    `aigateway-exporter needs Node ${wanted} or later, but "${process.execPath}" is Node ${actual}\n`,
  );
  process.exitCode = 1;
} else if (parameters[0] === "simulate") {
  process.argv.splice(2, 1);
  void import("./simulate.js");
} else {
  const needsHelp = parameters.some((parameter) => parameter === "--help" || parameter === "-h");
  void import("./main.js").then(() => {
    if (needsHelp)
      process.stdout.write("\nTo try it: aigateway-exporter simulate starts a simulated gateway.\n");
  });
}
