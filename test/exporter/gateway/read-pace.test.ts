import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { createReadPace, MOST_BYTES_IN_A_TURN } from "../../../exporter/gateway/connections.ts";

/** A connection that counts how often it is told to go on. */
function connection() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  let resumed = 0;
  socket.on("readable", () => resumed++);
  return { socket, resumed: () => resumed };
}

const nextTurn = () => new Promise(setImmediate);

test("connections share the bytes of a turn, and go on in the next one", async () => {
  const mayRead = createReadPace();
  const [one, other, gone] = [connection(), connection(), connection()];
  expect(mayRead(one.socket, MOST_BYTES_IN_A_TURN - 1)).toBe(true);
  expect(mayRead(other.socket, 8192)).toBe(true);
  expect([one, other, gone].map(({ socket }) => mayRead(socket, 1))).toEqual([false, false, false]);
  gone.socket.destroyed = true;
  await nextTurn();
  expect([one, other, gone].map(({ resumed }) => resumed())).toEqual([1, 1, 0]);
  expect(mayRead(other.socket, 8192)).toBe(true);
  await nextTurn();
  expect(other.resumed()).toBe(1);
});

test("a read of nothing uses nothing up, and the bytes of each turn count alone", async () => {
  const mayRead = createReadPace();
  const { socket, resumed } = connection();
  for (let turn = 0; turn < 3; turn++) {
    expect(mayRead(socket, 0)).toBe(true);
    expect(mayRead(socket, MOST_BYTES_IN_A_TURN)).toBe(true);
    expect(mayRead(socket, 0)).toBe(false);
    await nextTurn();
  }
  expect(resumed()).toBe(3);
});
