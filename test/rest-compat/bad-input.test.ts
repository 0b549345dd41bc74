import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { nobody } = service.actors;

const mebibytes10 = 10 * 1024 * 1024;

test.each<[string, string | Uint8Array]>([
  ['half an object', '{"display_name": "x"'],
  ['no JSON at all', 'display_name=x'],
  ['a trailing comma', '{"display_name": "x",}'],
  ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['a raw control character in a text', '{"display_name": "a\nb"}'],
  ['blanks', '   '],
])('a body of %s is MALFORMED_JSON and nothing is made', async (_case, body) => {
  const wallet = service.actors.wallet();
  expectRefusal(await service.call(wallet, 'POST', '/orgs/v1', { body }), 'MALFORMED_JSON');
  expect((await service.call(wallet, 'GET', '/orgs/v1')).body).toEqual({ orgs: [] });
});

test.each(['[]', '"text"', '5', 'true', 'null', '[{"display_name":"x"}]'])('%s is no object', async (body) => {
  const answer = await service.call(service.actors.wallet(), 'POST', '/orgs/v1', { body });
  expectRefusal(answer, 'VALIDATION_FAILED');
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json', ''])(
  'a body of type "%s" is 415',
  async (type) => {
    const headers = { 'content-type': type };
    const answer = await service.call(service.actors.wallet(), 'POST', '/orgs/v1', { body: '{}', headers });
    expectRefusal(answer, 'UNSUPPORTED_MEDIA_TYPE');
  },
);

test.each(['application/json', 'APPLICATION/JSON; Charset=utf-8', 'application/vnd.svc+json'])(
  'a body of type %s is read',
  async (type) => {
    const headers = { 'content-type': type };
    const answer = await service.call(service.actors.wallet(), 'POST', '/orgs/v1', { body: '{}', headers });
    expect(answer.status).toBe(201);
  },
);

test.each(['/orgs/v1/%', '/orgs/v1/%zz', '/orgs/v1/%E4%B8', '/projects/v1/a%2', '/nowhere/%ff', '/orgs/v1/%ED%A0%80'])(
  'the broken escape of %s is refused',
  async (path) => {
    const answer = await service.call(nobody, 'GET', path);
    expectRefusal(answer, 'VALIDATION_FAILED', { field: 'path', reason: 'has a broken percent escape' });
  },
);

test('a query parameter given twice is refused by name', async () => {
  const answer = await service.call(service.actors.wallet(), 'GET', '/projects/v1?limit=1&after=x&limit=1');
  expectRefusal(answer, 'VALIDATION_FAILED', { field: 'limit', reason: 'given twice' });
});

test.each(['__proto__', 'constructor', 'toString'])('a parameter or member named %s means nothing', async (name) => {
  const { wallet, orgId } = await service.owner();
  expect((await service.call(wallet, 'GET', `/projects/v1?${name}=x`)).status).toBe(200);
  const sent = await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/a/messages`, {
    body: `{"${name}": {"body": "x"}}`,
  });
  expectRefusal(sent, 'VALIDATION_FAILED', { field: 'body' });
});

/** One request over a socket of its own, as raw as it gets. */
async function raw(write: (socket: Socket) => Promise<void>): Promise<{ text: string; failed: boolean }> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
  let text = '';
  let failed = false;
  socket.on('data', (part) => {
    text += part;
  });
  socket.on('error', () => {
    failed = true;
  });
  await once(socket, 'connect');
  await write(socket);
  if (!socket.closed) await once(socket, 'close');
  return { text, failed };
}

const head = (more: string, path = '/orgs/v1') =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;
const send = (socket: Socket, data: string | Buffer) =>
  new Promise<void>((resolve) => socket.write(data, () => resolve()));
const part = Buffer.alloc(64 * 1024, 'x');

test.each(['/orgs/v1', '/graphql'])(
  '10 MB announced to %s are 413, and the connection ends without a reset',
  async (path) => {
    const { text, failed } = await raw(async (socket) => {
      await send(socket, head(`content-length: ${mebibytes10}`, path));
      for (let sent = 0; sent < mebibytes10; sent += part.length) await send(socket, part);
    });
    expect(failed).toBe(false);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
    expect(body).toMatchObject({ code: 'BODY_TOO_LARGE', details: { limit_bytes: 1024 * 1024 } });
  },
);

test('10 MB that nobody announced are 413 as soon as the limit is passed', async () => {
  const { text, failed } = await raw(async (socket) => {
    await send(socket, head('transfer-encoding: chunked'));
    for (let sent = 0; sent < mebibytes10; sent += part.length) {
      await send(socket, Buffer.concat([Buffer.from('10000\r\n'), part, Buffer.from('\r\n')]));
    }
    await send(socket, '0\r\n\r\n');
  });
  expect(failed).toBe(false);
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  expect(text).toContain('BODY_TOO_LARGE');
});

test('what follows a body that was too large is not taken for a request', async () => {
  const { text } = await raw(async (socket) => {
    await send(socket, head(`content-length: ${mebibytes10}`));
    const smuggled = Buffer.from('\r\nGET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    await send(socket, Buffer.concat([Buffer.alloc(mebibytes10, 'x'), smuggled]));
  });
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test('a client that uses fetch learns of the 413, many times over', async () => {
  for (let turn = 0; turn < 5; turn++) {
    const answer = await service.call(service.actors.wallet(), 'POST', '/orgs/v1', { body: 'x'.repeat(mebibytes10) });
    expectRefusal(answer, 'BODY_TOO_LARGE');
  }
  expect((await service.call(service.actors.wallet(), 'POST', '/orgs/v1')).status).toBe(201);
});

test('a large body for a path that is not there is 404, and its method 405', async () => {
  const body = 'x'.repeat(mebibytes10);
  expectRefusal(await service.call(nobody, 'POST', '/nowhere', { body }), 'ROUTE_NOT_FOUND');
  expectRefusal(await service.call(nobody, 'PUT', '/orgs/v1', { body }), 'METHOD_NOT_ALLOWED');
});

test('a body of exactly the limit is read, one byte more is not', async () => {
  const limit = 1024 * 1024;
  const pad = (bytes: number) => '{"display_name":"x"}'.padEnd(bytes, ' ');
  const wallet = service.actors.wallet();
  expect((await service.call(wallet, 'POST', '/orgs/v1', { body: pad(limit) })).status).toBe(201);
  expectRefusal(await service.call(wallet, 'POST', '/orgs/v1', { body: pad(limit + 1) }), 'BODY_TOO_LARGE');
});

test('a client that goes away in the middle of its body harms nobody', async () => {
  await raw(async (socket) => {
    await send(socket, head('content-length: 1000'));
    await send(socket, '{"display');
    socket.destroy();
  });
  expect((await service.call(nobody, 'GET', '/readyz')).status).toBe(200);
});
