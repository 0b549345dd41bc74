import type { lookup } from 'node:dns';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { visitSite } from '../../engines/site-audit/fetch/visit.ts';
import { parseTarget } from '../../engines/site-audit/target.ts';
import { startSites } from '../helpers/site-server.ts';

const page = '<!doctype html><title>Here</title><p>Text</p>';
const mib = 1024 * 1024;

/** Sites that answer `/` in a way of their own, by their name. */
const answers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  plain: (_request, response) => response.end(page),
  gzip: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(page)),
  brotli: (_request, response) => response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(page)),
  deflate: (_request, response) => response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync(page)),
  bomb: (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100 * mib))),
  long: (_request, response) => response.end(Buffer.alloc(3 * mib, 'x')),
  broken: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all'),
  layers: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end('x'),
  strange: (_request, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
  headers: (_request, response) => response.writeHead(200, { 'x-much': 'y'.repeat(20_000) }).end(page),
  breaks: (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('begins', () => response.destroy());
  },
  loop: (_request, response) => response.writeHead(302, { location: '/?again' }).end(),
  moved: (_request, response) => response.writeHead(301, { location: 'https://plain.audit-sites.net/' }).end(),
  // A header of gzip that goes on for longer than anything is read, and unpacks to nothing.
  padded: (_request, response) =>
    response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(Buffer.concat([Buffer.from('1f8b0808000000000003', 'hex'), Buffer.alloc(4 * mib, 'a')])),
  silent: () => undefined,
  slow: (_request, response) => void response.writeHead(200).write('begins'),
  away: (_request, response) => response.writeHead(503).end('later'),
};

const sites = await startSites(
  Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      `${name}.audit-sites.net`,
      (request: IncomingMessage, response: ServerResponse) => {
        if (name === 'loop' || new URL(request.url!, 'https://x').pathname === '/') answer(request, response);
        else response.writeHead(404).end();
      },
    ]),
  ),
);
afterAll(() => sites.close());

const options = { userAgent: 'SvcAudit/test', trial: sites.trial };
const visit = (name: string) =>
  visitSite(
    parseTarget(`${name}.audit-sites.net`, (host) => sites.trial.hosts.has(host)),
    options,
  );
const codeOf = async (run: Promise<unknown>): Promise<string> => {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return (error as ServiceError).code;
};
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test.each(['plain', 'gzip', 'brotli', 'deflate'])('a page that is sent %s is read', async (name) => {
  const { snapshot } = await visit(name);
  expect(textOf(snapshot.page.bytes)).toBe(page);
  expect(snapshot.page.truncated).toBe(false);
});

test.each(['bomb', 'long'])('of a %s as much is read as may be, and it is said', async (name) => {
  const { snapshot } = await visit(name);
  expect(snapshot.page.bytes.length).toBe(mib);
  expect(snapshot.page.truncated).toBe(true);
});

test('what is packed so that it never comes to anything is not read for ever', async () => {
  const { snapshot } = await visit('padded');
  expect(snapshot.page).toMatchObject({ truncated: true, bytes: new Uint8Array() });
});

test.each([
  ['silent', { headers: 20 }],
  ['slow', { idle: 20 }],
  ['slow', { whole: 200 }],
])('a server that is %s is left after a while: %j', async (name, patience) => {
  const target = parseTarget(`${name}.audit-sites.net`);
  expect(await codeOf(visitSite(target, { ...options, patience }))).toBe('TARGET_TIMEOUT');
});

test('a name that takes too long to resolve is left after a while', async () => {
  const resolve = (() => undefined) as unknown as typeof lookup;
  const target = parseTarget('plain.audit-sites.net');
  expect(await codeOf(visitSite(target, { ...options, resolve, patience: { resolve: 20 } }))).toBe('TARGET_TIMEOUT');
});

test.each([
  ['broken', 'BAD_ENCODING'],
  ['layers', 'BAD_ENCODING'],
  ['strange', 'BAD_ENCODING'],
  ['headers', 'CONNECT_FAILURE'],
  ['breaks', 'CONNECT_FAILURE'],
  ['loop', 'TOO_MANY_REDIRECTS'],
])('what is %s is %s', async (name, code) => {
  expect(await codeOf(visit(name))).toBe(code);
});

test('redirects are followed five times, and beside them nothing is asked', async () => {
  const before = sites.reached.length;
  expect(await codeOf(visit('loop'))).toBe('TOO_MANY_REDIRECTS');
  expect(sites.reached.length - before).toBe(6);
});

test('what stands beside the page is looked for on the host where it was found', async () => {
  const before = sites.reached.length;
  const { snapshot, facts } = await visit('moved');
  expect(snapshot.finalUrl).toBe('https://plain.audit-sites.net/');
  expect(facts).toMatchObject({ redirects: 1, requests: 6 });
  expect(sites.reached.slice(before).toSorted()).toEqual([
    'moved.audit-sites.net /',
    'plain.audit-sites.net /',
    'plain.audit-sites.net /llms-full.txt',
    'plain.audit-sites.net /llms.txt',
    'plain.audit-sites.net /robots.txt',
    'plain.audit-sites.net /sitemap.xml',
  ]);
});

test('a page that answers 503 was reached', async () => {
  expect((await visit('away')).snapshot.page.status).toBe(503);
});

test('a name that is unknown is DNS_FAILURE', async () => {
  expect(await codeOf(visitSite(parseTarget('nowhere.trap-names.com'), options))).toBe('DNS_FAILURE');
});

test('outside of a trial the name servers are asked, who know nothing of this one', async () => {
  const refused = visitSite(parseTarget('no-such-name.trap-names.invalid-zone'), { userAgent: 'SvcAudit/test' });
  await expect(refused).rejects.toMatchObject({ status: 502 });
});

test('a certificate of somebody else is TLS_FAILURE', async () => {
  const [port] = sites.trial.hosts.values();
  const trial = { ...sites.trial, hosts: new Map([['other-site.com', port!]]) };
  const target = parseTarget('other-site.com');
  expect(await codeOf(visitSite(target, { ...options, trial }))).toBe('TLS_FAILURE');
});

test('a port where nobody listens is CONNECT_FAILURE', async () => {
  const closed = await startSites({ 'plain.audit-sites.net': {} });
  const [gone] = closed.trial.hosts.values();
  closed.close();
  const trial = { ...sites.trial, hosts: new Map([['plain.audit-sites.net', gone!]]) };
  expect(await codeOf(visitSite(parseTarget('plain.audit-sites.net'), { ...options, trial }))).toBe('CONNECT_FAILURE');
});

test('a name is resolved once for all documents, so that it cannot change between judging and connecting', async () => {
  let asked = 0;
  const resolve = ((_host: string, _options: object, done: (error: null, found: object[]) => void) => {
    asked += 1;
    // Whoever asked again would be led astray.
    done(null, [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
  }) as unknown as typeof lookup;
  const { facts } = await visitSite(parseTarget('plain.audit-sites.net'), { ...options, resolve });
  expect(facts.requests).toBe(5);
  expect(asked).toBe(1);
});

test('a trial lets in no other address of this machine, and no other name', async () => {
  const at = (address: string) =>
    ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address, family: 4 }])) as unknown as typeof lookup;
  const own = visitSite(parseTarget('plain.audit-sites.net'), { ...options, resolve: at('127.0.0.2') });
  expect(await codeOf(own)).toBe('RESTRICTED_ADDRESS');
  const other = visitSite(parseTarget('another.trap-names.com'), { ...options, resolve: at('127.0.0.1') });
  expect(await codeOf(other)).toBe('RESTRICTED_ADDRESS');
});
