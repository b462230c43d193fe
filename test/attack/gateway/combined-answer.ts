import { gzipSync } from "node:zlib";
import { keyAnswers, analyticsAnswers, jsonAnswers } from "./body-answers.ts";
import { type Answer, type Exchange, pause, repeat, type Sink, write } from "./exchange.ts";
import { analyticsSecretAnswers, keySecretAnswers, secretAnswers } from "./secret-answers.ts";

/** An answer of another attack, changed on its way: cut, delayed, split, repeated, compressed or preceded by others. */
export const combined: Answer = async (exchange) => {
  const { lane, random, socket } = exchange;
  const own =
    lane === "keys"
      ? { ...keyAnswers, ...keySecretAnswers }
      : { ...analyticsAnswers, ...analyticsSecretAnswers };
  const answers = Object.entries({ ...own, ...jsonAnswers, ...secretAnswers })
    .filter(
      ([name]) => !/16|million|MB|100,000|white|zero|UTF-8|without an end|empty rows|numbers$/.test(name),
    )
    .map(([, answer]) => answer);
  const answer = answers[Math.floor(random() * answers.length)];
  const text = await recorded(exchange, answer ?? (() => {}));
  const delivery = DELIVERIES[Math.floor(random() * DELIVERIES.length)];
  await delivery?.(socket, text, random);
};

type Delivery = (socket: Sink, bytes: Buffer, random: () => number) => Promise<unknown> | void;

const DELIVERIES: readonly Delivery[] = [
  write,
  async (socket, bytes, random) => {
    await write(socket, bytes.subarray(0, Math.floor(random() * bytes.length)));
    await pause(random() * 20);
    socket.reset();
  },
  async (socket, bytes, random) => {
    await write(socket, bytes.subarray(0, Math.floor(random() * bytes.length)));
    socket.end();
  },
  async (socket, bytes, random) => {
    for (let at = 0; at < bytes.length;) {
      const length = 1 + Math.floor(random() * 40);
      if (!(await write(socket, bytes.subarray(at, at + length)))) return;
      at += length;
      await pause(random() < 0.1 ? 10 : 0);
    }
  },
  async (socket, bytes) => {
    await repeat(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", 1000);
    await write(socket, bytes);
  },
  (socket, bytes) => write(socket, bytes.length < 16_384 ? Buffer.concat([bytes, bytes, bytes]) : bytes),
  (socket, bytes, random) => {
    const changed = Buffer.from(bytes);
    for (let count = 0; count < 3; count++) changed[Math.floor(random() * changed.length)] = random() * 256;
    return write(socket, changed);
  },
  async (socket, bytes) => write(socket, compressed(bytes)),
];

/** The same answer with a compressed body. */
function compressed(bytes: Buffer): Buffer {
  const end = bytes.indexOf("\r\n\r\n");
  const packed = gzipSync(bytes.subarray(end + 4));
  const first = bytes.subarray(0, bytes.indexOf("\r\n"));
  return Buffer.concat([
    first,
    Buffer.from(`\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`),
    packed,
  ]);
}

const nothing = (): void => {};

/** The bytes that an answer writes. */
async function recorded(exchange: Exchange, answer: Answer): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await answer({
    ...exchange,
    socket: {
      isOpen: () => true,
      write: (bytes) => pieces.push(Buffer.from(bytes)) > 0,
      drained: () => Promise.resolve(),
      end: nothing,
      reset: nothing,
      pause: nothing,
    },
  });
  return Buffer.concat(pieces);
}
