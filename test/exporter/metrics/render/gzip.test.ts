import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { combinedCrc, crcShift } from "../../../../exporter/metrics/render/gzip.ts";

test("combinedCrc() is the checksum of two texts in a row", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), fc.uint8Array({ maxLength: 5000 }), (one, other) => {
      const combined = combinedCrc(crc32(one), crc32(other), crcShift(other.length));
      expect(combined).toBe(crc32(Buffer.concat([one, other])));
    }),
  );
});

test("combinedCrc() works for texts of many megabytes", () => {
  const [one, other] = [Buffer.alloc(30_000_001, "a"), Buffer.alloc(17_000_003, "b")];
  expect(combinedCrc(crc32(one), crc32(other), crcShift(other.length))).toBe(crc32(other, crc32(one)));
});
