import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { deploying, siteOf } from '../deploys/deploying.ts';
import { startDnsServer } from '../helpers/dns-server.ts';
import { startService } from '../helpers/service.ts';
import { domainDoor } from '../hosts/domain-door.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** What stands in front of the gateway: a cache that keeps what it was told to keep. */
async function startCache() {
  let port = 0;
  const kept = new Map<string, { status: number; headers: string[]; body: Buffer }>();
  const stripped = new Set<string>();
  let keeps = false;
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const key = `${headers.host} ${url}`;
    const old = kept.get(key);
    if (old !== undefined) {
      outgoing.writeHead(old.status, [...old.headers, 'x-cache', 'HIT', 'age', '30']);
      return void outgoing.end(method === 'HEAD' ? undefined : old.body);
    }
    const onwards = send({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const isHidden = stripped.has(headers.host!);
        const list = answer.rawHeaders.flatMap((name, at, all) =>
          at % 2 === 1 || (isHidden && name.toLowerCase().startsWith('x-svc-')) ? [] : [name, all[at + 1]!],
        );
        const body = Buffer.concat(chunks);
        if (keeps) kept.set(key, { status: answer.statusCode!, headers: list, body });
        outgoing.writeHead(answer.statusCode!, list);
        outgoing.end(body);
      });
    });
    onwards.on('error', () => outgoing.destroy());
    incoming.pipe(onwards);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (url: string) => {
      port = Number(new URL(url).port);
    },
    keep: (value: boolean) => {
      keeps = value;
      if (!value) kept.clear();
    },
    hide: (host: string) => stripped.add(host),
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const dns = await startDnsServer();
const cache = await startCache();
const service = await startService({ nodes: 2, env: { DNS_SERVERS: dns.address } });
// A further node, which knows itself by the name of the cache in front of it.
const behind = await service.startNode({ PUBLIC_BASE_URL: cache.url });
cache.leadTo(behind.url);
afterAll(async () => {
  await service.stop();
  await cache.stop();
  await dns.stop();
});

async function newSite(slices: object = siteOf({ 'index.html': 'one', 'a.txt': 'one' }), texts = ['one']) {
  const project = await service.project();
  const theirs = deploying(service, project.wallet, project);
  const first = await theirs.deploy(slices, texts);
  const host = new URL(first.urls.site).hostname;
  /** Asks one of the nodes, whose look no other test has had. */
  const verify = async (operationId: string, from: string = behind.url): Promise<Any> => {
    const answer = await fetch(`${from}/apply/v1/operations/${operationId}/edge-coherence`, {
      headers: { apikey: project.anonKey },
    });
    return { status: answer.status, ...((await answer.json()) as object) };
  };
  return { ...theirs, project, first, host, verify };
}

test('a release that is live is everywhere, as each node sees it', async () => {
  const { first, verify, host } = await newSite();
  for (const from of [service.url, behind.url])
    expect(await verify(first.operation_id, from)).toMatchObject({
      status: 200,
      coherent: true,
      operation_id: first.operation_id,
      release_id: first.release_id,
      release_generation: 1,
      path_count: 3,
      total_path_count: 3,
      pending_count: 0,
      paths_truncated: false,
      pointer_updates: { kvs: { target: 'kvs', status: 'applied' } },
      next_actions: [],
      paths: [
        {
          host,
          path: '/',
          state: 'coherent',
          observed_confidence: 'identity',
          observed_release_id: first.release_id,
          observed_release_generation: 1,
          status: 200,
        },
        { path: '/index.html', state: 'coherent' },
        { path: '/a.txt', state: 'coherent' },
      ],
    });
});

test('a cache that still answers with the release before is found, and no longer once it has let go', async () => {
  const { first, verify, deploySite } = await newSite();
  cache.keep(true);
  expect(await verify(first.operation_id)).toMatchObject({ coherent: true });
  const second = await deploySite({ 'index.html': 'two', 'a.txt': 'one' });
  const stale = await verify(second.operation_id);
  expect(stale).toMatchObject({ coherent: false, pending_count: 3, next_actions: [expect.stringContaining('--wait')] });
  expect(stale.paths[0]).toMatchObject({
    state: 'stale_prior_release',
    expected_release_id: second.release_id,
    expected_release_generation: 2,
    observed_release_id: first.release_id,
    observed_release_generation: 1,
    x_cache: 'HIT',
    age_seconds: 30,
  });
  cache.keep(false);
  await expect.poll(async () => (await verify(second.operation_id)).coherent).toBe(true);
  // Of the deploy before, every page is of another release by now.
  await expect.poll(async () => (await verify(first.operation_id)).paths[0].state).toBe('unknown');
});

test('where a proxy hides the release, the bytes tell', async () => {
  const { first, verify, host } = await newSite();
  cache.hide(`${host}:${new URL(cache.url).port}`);
  const seen = await verify(first.operation_id);
  expect(seen).toMatchObject({ coherent: true });
  expect(seen.paths[0]).toMatchObject({ observed_confidence: 'body_hash', observed_release_id: null });
});

test('a domain that leads nowhere, and one that leads into a private network, are hosts that do not answer', async () => {
  const { project, first, verify, host } = await newSite();
  const door = domainDoor(service, project);
  dns.set(host, { A: ['198.51.100.7'] });
  for (const name of ['away.example.org', 'inside.example.org']) {
    const { body } = await door.ensure(name);
    dns.set(`_svc-challenge.${name}`, { TXT: [body.dns_records[0].value] });
    dns.set(name, { CNAME: host });
    expect((await door.ensure(name)).body.checks.find(({ id }: Any) => id === 'binding').status).toBe('passed');
  }
  dns.set('away.example.org', null);
  dns.set('inside.example.org', { A: ['127.0.0.1'] });
  const { coherent, paths, next_actions } = await verify(first.operation_id);
  const of = (name: string) =>
    paths.filter((one: Any) => one.host === name).map(({ state, error }: Any) => [state, error]);
  expect(coherent).toBe(false);
  expect(next_actions).toEqual([expect.stringContaining('domains list')]);
  expect(of('away.example.org')).toEqual(Array(3).fill(['error', 'unreachable']));
  expect(of('inside.example.org')).toEqual(Array(3).fill(['error', 'forbidden_address']));
  expect(of(host)).toEqual(Array(3).fill(['coherent', null]));
});

test('a release without pages that may change has nothing to ask for', async () => {
  const { first, verify } = await newSite({ i18n: { defaultLocale: 'en', locales: ['en'] } }, []);
  expect(await verify(first.operation_id)).toMatchObject({
    coherent: true,
    probe_basis: 'no_mutable_paths',
    path_count: 0,
    probe_may_have_warmed_cache: false,
  });
});

test('a large site is asked for its first pages alone', async () => {
  const texts = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}.html`, 'one']));
  const { first, verify } = await newSite(siteOf(texts));
  expect(await verify(first.operation_id)).toMatchObject({
    coherent: true,
    path_count: 32,
    total_path_count: 50,
    paths_truncated: true,
  });
});

test('what has not gone live, and what is another’s, is refused', async () => {
  const one = await newSite();
  const planned = await one.plan(siteOf({ 'b.txt': 'never' }));
  expect(await one.verify(planned.body.operation_id)).toMatchObject({ status: 409, code: 'INVALID_STATE' });
  expect(await one.verify('op_none')).toMatchObject({ status: 404, code: 'OPERATION_NOT_FOUND' });
  const other = await newSite();
  expect(await other.verify(one.first.operation_id)).toMatchObject({ status: 404, code: 'OPERATION_NOT_FOUND' });
});

test('looks at one project’s hosts are bounded, however many deploys are asked about', async () => {
  const { first, verify, call, deploySite, project } = await newSite();
  const second = await deploySite({ 'index.html': 'two' });
  const operations = [first.operation_id, second.operation_id];
  for (let at = 0; at < 38; at += 1) {
    const { body } = await call('POST', `/apply/v1/releases/${[first, second][at % 2].release_id}/promote`, {
      project: project.projectId,
    });
    operations.push(body.operation_id);
  }
  const answers = await Promise.all(operations.map((id) => verify(id)));
  const codes = new Set(answers.map(({ status, code }) => (status === 200 ? 'OK' : code)));
  expect(codes).toEqual(new Set(['OK', 'RATE_LIMITED']));
});
