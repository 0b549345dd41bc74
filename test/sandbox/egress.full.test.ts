import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificate, certificateKey } from '../helpers/certificate.ts';
import { functionOf, handler, makeRunner, requestTo, textOf } from './functions.ts';

/** A place that the operator has named stands for the public internet: this machine, as one name alone leads to it. */
const publicName = 'public.example';
const names: Readonly<Record<string, readonly string[]>> = {
  [publicName]: ['127.0.0.2'],
  'mine.example.com': ['127.0.0.2'],
  'private.example': ['10.0.0.1'],
  'mixed.example': ['127.0.0.2', '169.254.169.254'],
};

const servers: Server[] = [];
const listening = async (server: Server, host: string): Promise<number> => {
  servers.push(server);
  await once(server.listen(0, host), 'listening');
  return (server.address() as AddressInfo).port;
};

let world: Awaited<ReturnType<typeof makeRunner>>;
let ports: {
  readonly http: number;
  readonly echo: number;
  readonly greeting: number;
  readonly closed: number;
  readonly https: number;
};
const asked: string[] = [];

beforeAll(async () => {
  const http = createHttp((request, response) => response.end(`public ${request.method} ${request.url}`));
  const api = createHttp((request, response) => response.end(`api ${request.headers.host}`));
  const echo = createTcp((socket) => socket.pipe(socket));
  const greeting = createTcp((socket) => socket.end('220 ready\r\n'));
  ports = {
    http: await listening(http, '127.0.0.2'),
    echo: await listening(echo, '127.0.0.2'),
    greeting: await listening(greeting, '127.0.0.2'),
    https: await listening(
      createHttps({ cert: certificate, key: certificateKey }, (_request, response) => response.end('secured')),
      '127.0.0.2',
    ),
    closed: await listening(createTcp(), '127.0.0.2'),
  };
  servers.pop()!.close();
  const platform = await listening(api, '127.0.0.1');
  world = await makeRunner({
    namedAddresses: ['127.0.0.2'],
    platform: () => ({ host: 'localhost', port: 4_000, at: { address: '127.0.0.1', port: platform } }),
    resolve: ((host: string, _options: unknown, done: (error: Error | null, found: unknown) => void) => {
      asked.push(host);
      const found = names[host];
      if (found === undefined) done(new Error('no such name'), []);
      else
        done(
          null,
          found.map((address) => ({ address, family: 4 })),
        );
    }) as never,
  });
});
afterAll(async () => {
  await world?.remove();
  for (const server of servers) server.close();
});

const run = (body: string, environment: Readonly<Record<string, string>> = {}) =>
  textOf(
    world.runner,
    functionOf(
      `import net from 'node:net'; import http from 'node:http'; import https from 'node:https'; import dns from 'node:dns';
      import { lookup } from 'node:dns/promises';
      ${handler(`return new Response(String(await (async () => { ${body} })().catch((error) => 'failed ' + (error.cause?.code ?? error.code ?? error))));`)}`,
      { environment },
    ),
    requestTo('/'),
  );

describe.runIf(process.platform === 'linux')('connections of a function', () => {
  test('by fetch, node:http and net reach the public internet', async () => {
    expect(await run(`return (await fetch('http://${publicName}:${ports.http}/a')).text();`)).toBe('public GET /a');
    const byHttp = `return new Promise((done, failed) => http.get('http://${publicName}:${ports.http}/b',
      async (response) => { let text = ''; for await (const piece of response) text += piece; done(text); }).on('error', failed));`;
    expect(await run(byHttp)).toBe('public GET /b');
    const byNet = `const socket = net.connect(${ports.echo}, '${publicName}'); socket.write('early ');
      socket.on('connect', () => socket.end('late')); let text = ''; for await (const piece of socket) text += piece; return text;`;
    expect(await run(byNet)).toBe('early late');
    const greeted = `const socket = net.connect({ port: ${ports.greeting}, host: '${publicName}' });
      let text = ''; for await (const piece of socket) text += piece; return text.trim();`;
    expect(await run(greeted)).toBe('220 ready');
  });

  test('are secured from end to end', async () => {
    const secure = (
      options: string,
    ) => `return new Promise((done, failed) => https.get('https://mine.example.com:${ports.https}/', ${options},
      async (response) => { let text = ''; for await (const piece of response) text += piece; done(text); }).on('error', failed));`;
    expect(await run(secure(`{ ca: ${JSON.stringify(certificate)} }`))).toBe('secured');
    // No one vouches for it.
    expect(await run(secure('{}'))).toMatch(/^failed (DEPTH_ZERO_)?SELF_SIGNED_CERT/);
    expect(await run(secure(`{ ca: ${JSON.stringify(certificate)}, servername: 'other.example.com' }`))).toBe(
      'failed ERR_TLS_CERT_ALTNAME_INVALID',
    );
    const byFetch = `return (await fetch('https://mine.example.com:${ports.https}/')).text();`;
    expect(await run(byFetch, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toBe('secured');
    expect(await run(byFetch)).toBe('failed DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  test('many at once are answered each by its own', async () => {
    const many = `const all = await Promise.all(Array.from({ length: 50 }, async (_, at) =>
      (await fetch('http://${publicName}:${ports.http}/' + at)).text())); return all.every((text, at) => text === 'public GET /' + at);`;
    expect(await run(many)).toBe('true');
  });

  test.each([
    ['127.0.0.1', 'EGRESS_FORBIDDEN'],
    ['[::1]', 'EGRESS_FORBIDDEN'],
    ['[::ffff:127.0.0.1]', 'EGRESS_FORBIDDEN'],
    ['0.0.0.0', 'EGRESS_FORBIDDEN'],
    ['169.254.169.254', 'EGRESS_FORBIDDEN'],
    ['private.example', 'EGRESS_FORBIDDEN'],
    ['mixed.example', 'EGRESS_FORBIDDEN'],
    ['absent.example', 'ENOTFOUND'],
  ])('to %s are refused with a code', async (host, code) => {
    expect(await run(`return (await fetch('http://${host}/')).text();`)).toBe(`failed ${code}`);
  });

  test('that the other side refuses are told so', async () => {
    expect(await run(`return (await fetch('http://${publicName}:${ports.closed}/')).text();`)).toBe(
      'failed ECONNREFUSED',
    );
  });

  test('resolve a name once, however it answers the second time', async () => {
    asked.length = 0;
    await run(`return (await fetch('http://${publicName}:${ports.http}/')).text();`);
    expect(asked).toEqual([publicName]);
  });

  test('by the name of the platform lead to the gateway alone', async () => {
    expect(await run(`return (await fetch('http://localhost:4000/x')).text();`)).toBe('api localhost:4000');
    // Its name opens no other port.
    expect(await run(`return (await fetch('http://127.0.0.1:4000/x')).text();`)).toBe('failed EGRESS_FORBIDDEN');
  });

  test('are preceded by the look-up of names, which is judged as well', async () => {
    expect(await run(`return (await lookup('${publicName}')).address;`)).toBe('127.0.0.2');
    expect(await run(`return JSON.stringify(await lookup('${publicName}', { all: true }));`)).toBe(
      '[{"address":"127.0.0.2","family":4}]',
    );
    expect(
      await run(`return new Promise((done) => dns.lookup('${publicName}', (_error, address) => done(address)));`),
    ).toBe('127.0.0.2');
    expect(await run(`return lookup('private.example');`)).toBe('failed EGRESS_FORBIDDEN');
  });

  test('are counted by project', async () => {
    const before = world.runner.stats().egress.get('prj_one') ?? { opened: 0, refused: 0 };
    await run(`return (await fetch('http://${publicName}:${ports.http}/')).text();`);
    await run(`return (await fetch('http://10.0.0.1/')).text();`);
    expect(world.runner.stats().egress.get('prj_one')).toEqual({
      opened: before.opened + 1,
      refused: before.refused + 1,
    });
  });
});
