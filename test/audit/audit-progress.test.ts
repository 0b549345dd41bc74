import { createClient, type FormattedExecutionResult } from 'graphql-ws';
import { afterAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { shop } from './fixture-sites.ts';

/** Sites whose page waits until it is let go, by name. */
const gates = new Map(
  ['socket', 'stream', 'crowd', 'late', 'left'].map((name) => [
    `${name}.audit-sites.net`,
    Promise.withResolvers<void>(),
  ]),
);
const sites = await startSites({
  'shop.audit-sites.net': shop,
  'packed.audit-sites.net': (_request, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
  'leads.audit-sites.net': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
  ...Object.fromEntries(
    [...gates].map(([host, { promise }]) => [
      host,
      async (request: { url?: string | undefined }, response: import('node:http').ServerResponse) => {
        if (request.url !== '/') return response.writeHead(404).end();
        await promise;
        response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Held</title>');
      },
    ]),
  ),
});
// Those who share an audit share a node.
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: { TRUSTED_PROXIES: '127.0.0.1/32' },
});
afterAll(async () => {
  await service.stop();
  sites.close();
});

const release = (host: string) => gates.get(host)!.resolve();
const fetches = (host: string) => sites.reached.filter((one) => one === `${host} /`).length;

const fields = `stage at ahead host document status bytes report { domain geoScore findingsTotal telemetry { cached } }`;
const document = `subscription ($url: String) { auditProgress(url: $url) { ${fields} } }`;

interface Step {
  readonly stage: string;
  readonly at: string;
  readonly ahead: number | null;
  readonly host: string | null;
  readonly document: string | null;
  readonly status: number | null;
  readonly bytes: number | null;
  readonly report: { readonly domain: string; readonly telemetry: { readonly cached: boolean } } | null;
}
type Event = FormattedExecutionResult<{ readonly auditProgress: Step | null }, unknown>;

let last = 0;
/** Every watcher as another client, so that none uses up what another may. */
const address = () => {
  last += 1;
  return `203.0.${Math.floor(last / 250)}.${(last % 250) + 1}`;
};

/** A watcher's events as they come. Breaking off leaves, as a client does that goes away. */
type Watch = (url: string, from?: string) => AsyncGenerator<Event, void, undefined>;

const overSocket: Watch = async function* (url, from = address()) {
  class Forwarded extends WebSocket {
    constructor(to: string, protocols: string[]) {
      super(to, protocols, { headers: { 'x-forwarded-for': from } });
    }
  }
  const client = createClient({ url: `${service.url.replace(/^http/, 'ws')}/graphql`, webSocketImpl: Forwarded });
  try {
    yield* client.iterate<{ auditProgress: Step | null }, unknown>({ query: document, variables: { url } });
  } finally {
    await client.dispose();
  }
};

const overStream: Watch = async function* (url, from = address()) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ query: document, variables: { url } }),
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      if (/^event: ?complete$/m.test(block)) return;
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (/^event: ?next$/m.test(block)) yield JSON.parse(data!) as Event;
    }
  }
  throw new Error('The stream broke off.');
};

const transports = [
  ['graphql-ws', 'socket', overSocket],
  ['SSE', 'stream', overStream],
] as const;

const stepOf = ({ data, errors }: Event): Step => {
  expect(errors).toBeUndefined();
  return data!.auditProgress!;
};
const codeOf = ({ errors }: Event) => errors?.[0]?.extensions?.code;
/** All that is left of a watch. */
async function rest(events: AsyncIterable<Event>): Promise<Step[]> {
  const steps: Step[] = [];
  for await (const event of events) steps.push(stepOf(event));
  return steps;
}

test.each(transports)(
  'over %s each step is told as it is taken, and the report ends it',
  async (_name, site, watch) => {
    const host = `${site}.audit-sites.net`;
    const events = watch(host);
    const begun = [];
    for (let count = 0; count < 3; count += 1) begun.push(stepOf((await events.next()).value!));
    expect(begun).toMatchObject([
      { stage: 'QUEUED', ahead: 0, host: null, document: null, report: null },
      { stage: 'RESOLVED', host, ahead: null },
      { stage: 'CONNECTED', host },
    ]);
    // The site has yet to answer, and nothing was made up meanwhile.
    release(host);
    const steps = await rest(events);
    expect(steps[0]).toMatchObject({ stage: 'FETCHED', document: 'PAGE', status: 200, bytes: 19, report: null });
    const beside = steps.slice(1, -2);
    expect(beside.map((step) => [step.stage, step.document, step.status]).toSorted()).toEqual([
      ['FETCHED', 'LLMS', 404],
      ['FETCHED', 'LLMS_FULL', 404],
      ['FETCHED', 'ROBOTS', 404],
      ['FETCHED', 'SITEMAP', 404],
    ]);
    expect(steps.slice(-2)).toMatchObject([
      { stage: 'ANALYSING', report: null },
      { stage: 'FINISHED', report: { domain: host, findingsTotal: 43, telemetry: { cached: false } } },
    ]);
    const moments = [...begun, ...steps].map(({ at }) => at);
    expect(moments).toEqual(moments.toSorted());
  },
);

test('a hundred watchers over both transports have a site fetched once, and all get its report', async () => {
  const host = 'crowd.audit-sites.net';
  const watchers = Array.from({ length: 100 }, (_one, at) => rest((at % 2 === 0 ? overSocket : overStream)(host)));
  const asked = service.call<{ telemetry: { cached: boolean } }>(
    service.actors.nobody,
    'GET',
    `/api/audit?url=${host}`,
    { headers: { 'x-forwarded-for': address() } },
  );
  await expect.poll(() => fetches(host)).toBe(1);
  release(host);
  const seen = await Promise.all(watchers);
  const reports = seen.map((steps) => steps.at(-1)!.report!);
  const fresh = [...reports, (await asked).body].filter(({ telemetry }) => !telemetry.cached);
  expect(reports.map(({ domain }) => domain)).toEqual(Array<string>(100).fill(host));
  // Whoever asked first had it fetched; the others shared it.
  expect(fresh.length).toBeLessThanOrEqual(1);
  expect(fetches(host)).toBe(1);
});

test('who comes late is told of all steps from the first on', async () => {
  const host = 'late.audit-sites.net';
  const early = overSocket(host);
  const first = [];
  for (let count = 0; count < 3; count += 1) first.push(stepOf((await early.next()).value!));
  const late = overStream(host);
  const again = [];
  for (let count = 0; count < 3; count += 1) again.push(stepOf((await late.next()).value!));
  expect(again).toEqual(first);
  release(host);
  const [one, other] = await Promise.all([rest(early), rest(late)]);
  expect(other.slice(0, -1)).toEqual(one.slice(0, -1));
  expect(other.at(-1)!.report).toMatchObject({ domain: host, telemetry: { cached: true } });
});

test('an audit goes on when its watcher leaves, and what is remembered is finished at once', async () => {
  const host = 'left.audit-sites.net';
  const events = overSocket(host);
  for (let count = 0; count < 3; count += 1) await events.next();
  await events.return();
  release(host);
  await expect.poll(async () => (await rest(overSocket(host))).map(({ stage }) => stage)).toEqual(['FINISHED']);
  expect(fetches(host)).toBe(1);
});

test.each(transports)('over %s a target is refused as by the audit', async (_name, _site, watch) => {
  for (const [url, code] of [
    ['', 'INVALID_URL'],
    ['http://shop.audit-sites.net', 'SCHEME_NOT_ALLOWED'],
    ['https://127.0.0.1', 'IP_LITERAL'],
    ['https://localhost', 'RESTRICTED_HOST'],
  ] as const) {
    const events = [];
    for await (const event of watch(url)) events.push(event);
    expect(events.map(codeOf)).toEqual([code]);
  }
});

test.each(transports)('over %s an audit that fails tells how far it came, then why', async (_name, _site, watch) => {
  for (const [url, code] of [
    ['packed.audit-sites.net', 'BAD_ENCODING'],
    ['leads.audit-sites.net', 'REDIRECT_NOT_HTTPS'],
  ] as const) {
    const events = [];
    for await (const event of watch(url)) events.push(event);
    expect(events.slice(0, -1).map((event) => stepOf(event).stage)).toEqual(['QUEUED', 'RESOLVED', 'CONNECTED']);
    expect(codeOf(events.at(-1)!)).toBe(code);
  }
});

test('watching is paid from the ten audits a minute that a client may have', async () => {
  const from = address();
  const codes: unknown[] = [];
  const ask = async () => {
    const watch = codes.length % 2 === 0 ? overSocket : overStream;
    for await (const event of watch('https://localhost', from)) codes.push(codeOf(event));
    return codes.at(-1);
  };
  // Some of it flows in meanwhile.
  await expect.poll(ask, { interval: 1 }).toBe('RATE_LIMITED');
  expect(codes.slice(0, -1).every((code) => code === 'RESTRICTED_HOST')).toBe(true);
  expect(codes.length).toBeGreaterThan(10);
  const audit = () =>
    service.call(service.actors.nobody, 'GET', '/api/audit?url=https://localhost', {
      headers: { 'x-forwarded-for': from },
    });
  await expect.poll(async () => (await audit()).status, { interval: 1 }).toBe(429);
});
