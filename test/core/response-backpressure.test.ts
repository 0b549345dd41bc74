import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { ResponseBackpressure } from '../../core/response-backpressure.ts';

const mebibyte = 1024 * 1024;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server whose answers are sent by `send`, and a request to it of which nothing is read yet. */
async function asked(send: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => send(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  closing.push(
    () => server.close(),
    () => request.destroy(),
  );
  const [answer] = await once(request, 'response');
  return answer as import('node:http').IncomingMessage;
}

test('an answer is counted until it was read', async () => {
  const held = new ResponseBackpressure();
  const answer = await asked((response) => {
    held.hold('a', response, 8 * mebibyte, true);
    response.end(Buffer.alloc(8 * mebibyte));
  });
  expect(held.bytes).toBe(8 * mebibyte);
  answer.resume();
  await once(answer, 'end');
  await expect.poll(() => held.bytes).toBe(0);
});

test('an answer of which nothing is taken is cut, and counted no more', async () => {
  const held = new ResponseBackpressure({ stallMs: 50 });
  const answer = await asked((response) => {
    held.hold('a', response, 64 * mebibyte, false);
    response.end(Buffer.alloc(64 * mebibyte));
  });
  await expect.poll(() => held.bytes).toBe(0);
  const broken = once(answer, 'error');
  answer.resume();
  expect((await broken)[0]).toMatchObject({ code: 'ECONNRESET' });
});

test('one project has its part and all have theirs; small answers and those of changes are always given', async () => {
  const held = new ResponseBackpressure({ perProject: 4 * mebibyte, max: 6 * mebibyte });
  const taken: ServerResponse[] = [];
  await asked((response) => {
    taken.push(response);
    response.flushHeaders();
  });
  const response = taken[0]!;
  held.hold('a', response, 3 * mebibyte, true);
  expect(() => held.hold('a', response, 2 * mebibyte, true)).toThrow(ServiceError);
  held.hold('b', response, 3 * mebibyte, true);
  expect(() => held.hold('c', response, mebibyte, true)).toThrow(ServiceError);
  held.hold('a', response, 1_000, true);
  expect(held.bytes).toBe(6 * mebibyte);
  held.hold('c', response, mebibyte, false);
  expect(held.bytes).toBe(7 * mebibyte);
  // Nor is anything begun then that could answer much, by whomever.
  expect(() => held.refuseWhileFull('d')).toThrow(ServiceError);
});
