import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createClient, wallet } from '../../clients/sdk/src/index.ts';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { bundle } from '../../scripts/sdk/bundle.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { startService } from '../helpers/service.ts';
import { faultyRoad } from '../sdk/faulty-road.ts';

// `apt-get install chromium`
const program = chromiumProgram();

/** What is tried in a page and in a worker: a function of the gateway's address, and of who asks. */
const trial = `import { createClient, eq, isSvcError, projectKey } from 'sdk/index.ts';
export async function trial({ baseUrl, credential, org, project, anonKey, serviceKey }, killSockets) {
  const client = createClient({ baseUrl, credential });
  const told = {};
  const room = 'browser';
  const events = client.rooms.follow({ org, room });
  const first = events.next();
  await client.rooms.sendMessage({ org, room, body: 'before' });
  told.before = (await first).value.message.body;
  await killSockets();
  await client.rooms.sendMessage({ org, room, body: 'after' });
  told.after = (await events.next()).value.message.body;
  await events.return();

  const anon = createClient({ baseUrl, credential: projectKey({ key: anonKey }) });
  const server = createClient({ baseUrl, credential: projectKey({ key: serviceKey }) });
  told.live = [];
  for (const by of ['stream', 'held']) {
    const hints = anon.live({ tables: ['notes'], by });
    await hints.next();
    const next = hints.next();
    await server.rest('notes', { admin: true }).insert({ text: by });
    const { value } = await next;
    told.live.push(value.type + ' ' + value.op);
    await hints.return();
  }
  // Headers of another origin, of which a page sees those alone that it may.
  told.count = await anon.rest('notes').count({ text: eq('stream') });
  const refused = await createClient({ baseUrl }).rooms.list({ org }).catch((error) => error);
  told.refused = [isSvcError(refused), refused.code, refused.nextActions[0].type, typeof refused.traceId];
  told.priced = (await client.audit.getPricing()).settlement.asset;
  let status;
  await client.tiers.set({ tier: 'hobby' }, {
    payer: async (challenge) => { status = challenge.accepts[0].network; return undefined; },
  }).catch((error) => (told.unpaid = [error.code, status]));
  told.graph = await client.graphql('query ($id: ID!) { organization(id: $id) { displayName } }', { id: org });
  const ending = new AbortController();
  setTimeout(() => ending.abort(new Error('enough')), 50);
  told.ended = await client.rooms.listMessages({ org, room: 'quiet', wait: 25 }, { signal: ending.signal })
    .catch((error) => error.message);
  return told;
}`;

const inPage = `import { browserSigner, wallet } from 'sdk/index.ts';
${trial}
globalThis.trial = async (stage) => {
  const request = ({ method, params }) => method === 'eth_requestAccounts' ? [stage.address] : globalThis.sign(params[0]);
  const signer = await browserSigner({ request: async (asked) => request(asked) });
  return trial({ ...stage, credential: wallet(signer) }, globalThis.killSockets);
};
globalThis.trialInWorker = (stage) => new Promise((resolve) => {
  const worker = new Worker('/worker.js', { type: 'module' });
  worker.onmessage = async ({ data }) => {
    if (data.ask === undefined) return resolve(data);
    const answer = data.ask === 'sign' ? await globalThis.sign(data.hex) : await globalThis.killSockets();
    worker.postMessage({ id: data.id, answer });
  };
  worker.postMessage({ stage });
});`;

const inWorker = `import { browserSigner, wallet } from 'sdk/index.ts';
${trial}
const waiting = [];
const ask = (question) => new Promise((resolve) => postMessage({ ...question, id: waiting.push(resolve) - 1 }));
onmessage = async ({ data }) => {
  if (data.stage === undefined) return waiting[data.id](data.answer);
  const { stage } = data;
  const request = ({ method, params }) => method === 'eth_requestAccounts' ? [stage.address] : ask({ ask: 'sign', hex: params[0] });
  const signer = await browserSigner({ request: async (asked) => request(asked) });
  postMessage(await trial({ ...stage, credential: wallet(signer) }, () => ask({ ask: 'kill' })).catch((error) => ({ failed: String(error.stack) })));
};`;

describe.skipIf(program === undefined)('the SDK in Chromium', async () => {
  const service = await startService({ env: { SVC_LEASES: 'on' } });
  const road = await faultyRoad(service.url);
  const scripts: Record<string, string> = {};
  const pages = createServer((request, response) => {
    const script = scripts[request.url!];
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script ?? '<!doctype html><title>SDK</title><script type="module" src="/page.js"></script>');
  });
  let browser: Browser;
  beforeAll(async () => {
    scripts['/page.js'] = (await bundle(inPage)).code;
    scripts['/worker.js'] = (await bundle(inWorker)).code;
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await sharedChromium();
  });
  afterAll(async () => {
    await closePages(browser);
    pages.close();
    road.close();
    await service.stop();
  });

  /** A page of another origin than the gateway's, with somebody's wallet. */
  async function opened() {
    const key = privateKeyToAccount(generatePrivateKey());
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page: Page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.exposeFunction('sign', (raw: `0x${string}`) => key.signMessage({ message: { raw } }));
    await page.exposeFunction('killSockets', () => road.killSockets());
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.waitForFunction('globalThis.trialInWorker !== undefined');
    const credential = wallet({ address: key.address, signMessage: (message) => key.signMessage({ message }) });
    const client = createClient({ baseUrl: service.url, credential });
    const { orgId: org } = await client.orgs.create({ displayName: 'Browser' });
    const { projectId: project, anonKey, serviceKey } = await client.projects.create({ orgId: org });
    await client.projects.sql({ project, sql: 'create table notes (id serial primary key, text text)' });
    const tables = [{ name: 'notes', expose: true, live: true, policy: 'public_read_authenticated_write' }];
    await client.projects.applyExpose({ project, manifest: { version: 1, tables } });
    const stage = { baseUrl: road.url, address: key.address, org, project, anonKey, serviceKey };
    const run = (where: 'trial' | 'trialInWorker') =>
      page.evaluate(
        ([name, given]) => (globalThis as unknown as Record<string, (stage: object) => unknown>)[name]!(given),
        [where, stage] as const,
      );
    return { run, complaints };
  }

  test.each([
    ['a page', 'trial'],
    ['a worker', 'trialInWorker'],
  ] as const)('%s of another origin signs in by a wallet, follows, reads and writes', async (_what, where) => {
    const { run, complaints } = await opened();
    expect(await run(where)).toEqual({
      before: 'before',
      after: 'after',
      live: ['change insert', 'change insert'],
      count: 1,
      refused: [true, 'AUTH_REQUIRED', 'authenticate', 'string'],
      priced: 'USDC',
      unpaid: ['PAYMENT_REQUIRED', expect.stringMatching(/^eip155:/)],
      graph: { organization: { displayName: 'Browser' } },
      ended: 'enough',
    });
    expect(complaints).toEqual([]);
  });
});
