import { describe, expect, test } from "vitest";
import { acceptedFormat, acceptsGzip } from "../../../exporter/http/metrics-route.ts";

describe("acceptedFormat()", () => {
  test.each([
    ["text", undefined],
    ["text", "*/*"],
    ["text", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"],
    ["text", "text/plain;version=0.0.4;q=1,*/*;q=0.1"],
    ["openmetrics", "application/openmetrics-text"],
    ["openmetrics", "application/openmetrics-text; version=1.0.0; charset=utf-8"],
    ["text", "application/openmetrics-text;version=0.0.1"],
    ["text", "application/openmetrics-text;version=1.0.0;q=0"],
    ["text", "application/openmetrics-text;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.5"],
    ["openmetrics", "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.5"],
    // Prometheus 2.42
    [
      "openmetrics",
      "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    ],
    // Prometheus 3
    [
      "openmetrics",
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
    ],
    ["openmetrics", "application/*"],
    ["text", "application/openmetrics-text;q=0,*/*"],
    ["openmetrics", "text/plain;q=0,*/*"],
    // The first of two types with the same quality wins.
    ["text", "text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0"],
    ["text", "application/openmetrics-text;version=2.0.0, */*;q=0.1"],
    ["text", "text/*, application/openmetrics-text;q=0.5"],
    ["text", "application/json"],
    ["text", "application/openmetrics-text;q=nonsense"],
  ])("%s for %s", (format, accept) => {
    expect(acceptedFormat(accept)).toBe(format);
  });
});

describe("acceptsGzip()", () => {
  test.each([
    [false, undefined],
    [false, ""],
    [false, "identity"],
    [true, "gzip"],
    [true, "br;q=1, gzip;q=0.2"],
    [false, "gzip;q=0"],
    [false, "gzip;q=0, *"],
    [true, "*"],
    [true, "gzip;q=0.5, identity"],
  ])("%s for %s", (expected, header) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});
