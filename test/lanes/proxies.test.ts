import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { freePort } from '../../scripts/free-port.ts';
import { caddyProgram, nginxProgram } from '../../scripts/lane-programs.ts';
import { roomSubscription } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { liveProject, notes } from '../live/live-project.ts';

// The files of docs/running, run as they are but for ports, paths of certificates and the gateway's address.

const api = 'gateway.example.com';
const apps = 'apps.example.com';
const connectionsMax = 12;
/** Shorter than the documented time, and longer than the gateway's pause between pings. */
const readTimeoutSeconds = 16;

const folder = await mkdtemp(join(tmpdir(), 'svc-proxies-'));
const service = await startService({
  env: {
    ALLOWED_HOSTS: api,
    PLATFORM_DOMAIN: apps,
    TRUSTED_PROXIES: '127.0.0.1',
    CONNECTIONS_PER_ADDRESS: String(connectionsMax),
  },
});
const project = await liveProject(service);
await project.run(`create table papers (id int generated always as identity primary key, body text);
  create function serve() returns int language plpgsql as $$ begin
    perform set_config('response.headers', '[{"X-Accel-Redirect": "/internal/secret"}, {"X-Sendfile": "/etc/hostname"}]', true);
    return 7; end $$;`);
expect(await project.expose(notes, { ...notes, name: 'papers' })).toMatchObject({ status: 200 });
const live = `project_id=${project.projectId}&tables=notes`;
const [owner] = await service.control.sql<{ principal_id: string }>(
  'select principal_id from memberships where org_id = $1',
  [project.orgId],
);
const principalId = owner!.principal_id;
const member = await service.actors.session({ principalId });

/** An upstream that gives nginx the order which a project's function must not give. */
const ordering = createServer((_request, response) => {
  response.setHeader('x-accel-redirect', '/internal/secret').end('the upstream');
});
const children: ChildProcess[] = [];
let ca = '';

beforeAll(async () => {
  const subject = `subjectAltName=DNS:${api},DNS:${apps},DNS:*.${apps}`;
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'fullchain.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, '-subj', '/CN=svc', '-addext', subject], {
    stdio: 'pipe',
  });
  ca = await readFile(join(folder, 'fullchain.pem'), 'utf8');
  await mkdir(join(folder, 'internal'));
  await writeFile(join(folder, 'internal', 'secret'), 'the secret');
  ordering.listen(0, '127.0.0.1');
  await once(ordering, 'listening');
});
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'close');
  }
  ordering.close();
  await project.end();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A documented file in which each of these texts occurs and is replaced. */
async function documented(name: string, replaced: Readonly<Record<string, string>>): Promise<string> {
  let file = await readFile(new URL(`../../docs/running/${name}`, import.meta.url), 'utf8');
  for (const [from, to] of Object.entries(replaced)) {
    expect(file).toContain(from);
    file = file.replaceAll(from, to);
  }
  return file;
}

async function startProxy(program: string, args: readonly string[], port: number): Promise<void> {
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  children.push(child);
  const said = Promise.all([text(child.stdout!), text(child.stderr!)]);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${(await said).join('')}`);
    const probe = connect(port, '127.0.0.1');
    const open = await new Promise<boolean>((resolve) => {
      probe.once('connect', () => resolve(true));
      probe.once('error', () => resolve(false));
    });
    probe.destroy();
    if (open) return;
    await sleep(50);
  }
}

const certificate = '/etc/ssl/svc-gateway/fullchain.pem';
const key = '/etc/ssl/svc-gateway/key.pem';
const upstream = () => new URL(service.url).host;

async function startNginx(): Promise<number> {
  const [plain, port] = [await freePort(), await freePort()];
  const traps = `location /internal/ { internal; alias ${folder}/internal/; }
    location = /ordering { proxy_pass http://127.0.0.1:${(ordering.address() as AddressInfo).port}; }`;
  const site = await documented('nginx.conf', {
    'listen 80;': `listen 127.0.0.1:${plain};`,
    'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
    [certificate]: join(folder, 'fullchain.pem'),
    [key]: join(folder, 'key.pem'),
    '127.0.0.1:4000;': `${upstream()};`,
    'proxy_read_timeout 75s;': `proxy_read_timeout ${readTimeoutSeconds}s;`,
    '  location / {': `${traps}\n  location / {`,
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const main = `daemon off; pid ${folder}/nginx.pid; error_log stderr warn;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 256; }
    http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
    ${site} }`;
  await writeFile(join(folder, 'nginx.conf'), main);
  await startProxy(nginxProgram()!, ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], port);
  return port;
}

async function startCaddy(): Promise<number> {
  const [plain, port] = [await freePort(), await freePort()];
  const site = await documented('Caddyfile', {
    [certificate]: join(folder, 'fullchain.pem'),
    [key]: join(folder, 'key.pem'),
    '127.0.0.1:4000 {': `${upstream()} {`,
  });
  const options = `{
    admin off
    auto_https off
    default_bind 127.0.0.1
    http_port ${plain}
    https_port ${port}
    storage file_system ${folder}/caddy
  }\n`;
  await writeFile(join(folder, 'Caddyfile'), options + site);
  await startProxy(caddyProgram()!, ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], port);
  return port;
}

interface Asked {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The client's own address. */
  readonly from?: string;
}

describe.each([
  ['nginx', nginxProgram(), startNginx],
  ['Caddy', caddyProgram(), startCaddy],
] as const)('behind %s', (name, program, startIt) => {
  describe.skipIf(program === undefined)('over TLS', () => {
    let port = 0;
    beforeAll(async () => {
      port = await startIt();
    });

    /** Begins a request; its answer may go on. */
    async function open(path: string, { host = api, method = 'GET', headers = {}, body, from }: Asked = {}) {
      const sent = request({
        host: '127.0.0.1',
        port,
        path,
        method,
        ca,
        servername: host,
        agent: false,
        ...(from === undefined ? {} : { localAddress: from }),
        headers: { host, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }), ...headers },
      });
      // A refusal may come before all of a body has left.
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve);
        sent.once('error', reject);
      });
      sent.end(body);
      const response = await answered;
      sent.on('error', () => undefined);
      return { response, status: response.statusCode!, close: () => sent.destroy() };
    }

    async function ask(path: string, asked: Asked = {}) {
      const { response, status } = await open(path, asked);
      const read = await text(response);
      const isJson = String(response.headers['content-type']).includes('json');
      return { status, headers: response.headers, text: read, body: isJson ? JSON.parse(read) : undefined };
    }

    const json = { 'content-type': 'application/json' };
    const anon = { apikey: project.anonKey };

    test('REST and GraphQL are answered', async () => {
      const { authorization } = await member.headers('/agent/v1/whoami');
      const me = await ask('/agent/v1/whoami', { headers: { authorization: authorization! } });
      expect(me.body).toMatchObject({ principal: { id: principalId } });
      const body = JSON.stringify({ query: '{ __typename }' });
      expect((await ask('/graphql', { method: 'POST', headers: json, body })).body).toEqual({
        data: { __typename: 'Query' },
      });
    });

    test('a project’s host is served by the wildcard, and no name is that is nobody’s', async () => {
      const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
        project.projectId,
      ]);
      const served = await ask('/_svc/config.json', { host: `p-${row!.public_id}.${apps}` });
      expect(served.body).toMatchObject({ project_id: project.projectId });
      expect((await ask('/_svc/config.json', { host: `p-000000000000.${apps}` })).body.code).toBe('HOST_NOT_FOUND');
    });

    test('a foreign name is refused, by the proxy or by the gateway', async () => {
      const { status, text: said } = await ask('/graphql', {
        host: 'evil.example',
        method: 'POST',
        headers: json,
        body: '{}',
      }).catch(
        // A proxy without a certificate for the name ends the handshake.
        (error: NodeJS.ErrnoException) => ({ status: 421, text: String(error.code) }),
      );
      expect([status, said.includes('__typename')]).toEqual([421, false]);
      const forged = { ...json, 'x-forwarded-host': 'evil.example' };
      const body = JSON.stringify({ query: '{ __typename }' });
      // The proxy's own word replaces the client's.
      expect((await ask('/graphql', { method: 'POST', headers: forged, body })).status).toBe(200);
    });

    test('a socket stays open for longer than the proxy waits for a read, and events come through it', async () => {
      const { orgId: org, projectId: room } = project;
      class ThroughProxy extends WebSocket {
        constructor(url: string, protocols: string) {
          super(url, protocols, { ca, headers: { host: api }, ...{ servername: api } });
        }
      }
      const closes: number[] = [];
      const client = createClient({
        url: `wss://127.0.0.1:${port}/graphql`,
        webSocketImpl: ThroughProxy,
        retryAttempts: 0,
        connectionParams: () => member.headers('/graphql'),
        on: { closed: (event) => void closes.push((event as { code: number }).code) },
      });
      const events = client.iterate<{ roomMessages: { message: { body: string } } }>({
        query: roomSubscription,
        variables: { org, room },
      });
      const send = (body: string) =>
        service.call(member, 'POST', `/orgs/v1/${org}/rooms/${room}/messages`, { body: { body } });
      await send(`${name} one`);
      const until = async (body: string) => {
        // A loop over the iterator would end the subscription with itself.
        for (;;) {
          const { value, done } = await events.next();
          expect(done).toBe(false);
          if (value.data?.roomMessages.message.body === body) return;
        }
      };
      await until(`${name} one`);
      await sleep((readTimeoutSeconds + 4) * 1000);
      await send(`${name} two`);
      await until(`${name} two`);
      expect(closes).toEqual([]);
      await client.dispose();
    });

    test('an event stream is not held back: its beginning and its events arrive while it is open', async () => {
      const { response, close } = await open(`/live/v1?${live}`, {
        headers: { ...anon, accept: 'text/event-stream' },
      });
      response.setEncoding('utf8');
      let seen = '';
      // Heard all along: what comes while nobody listens is lost.
      response.on('data', (part) => {
        seen += part;
      });
      const until = (part: string) => expect.poll(() => seen).toContain(part);
      await until('event:');
      await project.run(`insert into notes default values`);
      await until('"op"');
      close();
    });

    test('a held read is answered when something has changed', async () => {
      const first = await ask(`/live/v1/changes?${live}`, { headers: anon });
      const held = ask(`/live/v1/changes?${live}&wait=25&cursor=${first.body.cursor}`, { headers: anon });
      await project.run(`insert into notes default values`);
      expect((await held).body.changes).not.toEqual([]);
    });

    test('a body of nine megabytes is taken, and one of eleven refused by the gateway', async () => {
      const asked = (megabytes: number): Asked => ({
        method: 'POST',
        headers: { ...anon, ...json, prefer: 'return=minimal' },
        body: JSON.stringify({ body: 'x'.repeat(megabytes * 1024 * 1024) }),
      });
      expect((await ask('/rest/v1/papers', asked(9))).status).toBe(201);
      // The refusal comes while the body is still sent. Where the proxy closes then, the operating system may drop what it
      // has received, so that a client sees a broken connection in place of the answer: it asks again.
      const refused = async (tries = 5): Promise<unknown> =>
        ask('/rest/v1/papers', asked(11)).catch((error: NodeJS.ErrnoException) => {
          if (tries === 1 || !['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) throw error;
          return refused(tries - 1);
        });
      expect(await refused()).toMatchObject({ status: 413, body: { code: expect.any(String) } });
    });

    test('limits count for the client’s own address, which no header of the client’s changes', async () => {
      const from = name === 'nginx' ? '127.0.0.21' : '127.0.0.22';
      const stream = { headers: { ...anon, accept: 'text/event-stream' }, from };
      const streams = await Promise.all(Array.from({ length: connectionsMax }, () => open(`/live/v1?${live}`, stream)));
      expect(streams.map(({ status }) => status)).toEqual(Array(connectionsMax).fill(200));
      const again = { headers: { ...anon, 'x-forwarded-for': '203.0.113.9' }, from };
      expect((await ask('/rest/v1/papers?limit=0', again)).status).toBe(429);
      expect((await ask('/rest/v1/papers?limit=0', { headers: anon, from: '127.0.0.99' })).status).toBe(200);
      for (const { close } of streams) close();
    });

    test.runIf(name === 'nginx')('a function does not make the proxy serve a location of its own', async () => {
      expect((await ask('/internal/secret')).status).toBe(404);
      // The trap works: an upstream that may give the order gets the file.
      expect((await ask('/ordering')).text).toBe('the secret');
      const answer = await ask('/admin/v1/rest/rpc/serve', {
        method: 'POST',
        headers: { ...json, apikey: project.serviceKey, authorization: `Bearer ${project.serviceKey}` },
        body: '{}',
      });
      expect([answer.status, answer.text]).toEqual([200, '7']);
    });
  });
});
