import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  adminKey,
  bearer,
  browserSigner,
  createClient,
  delegate,
  projectKey,
  session,
  wallet,
} from '../../clients/sdk/src/index.ts';
import { startService } from '../helpers/service.ts';
import { faultyRoad } from './faulty-road.ts';
import { ownProject } from './sdk-stage.ts';

const service = await startService();
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
});
afterEach(() => void vi.useRealTimers());
beforeEach(() => void road.seen.splice(0));
const { client: own, org, project, anonKey, serviceKey } = await ownProject(service);

/** A wallet that counts what it is asked to sign. */
function countingWallet(address?: (own: string) => string) {
  const account = privateKeyToAccount(generatePrivateKey());
  const signed: string[] = [];
  const credential = wallet({
    address: address?.(account.address) ?? account.address,
    signMessage: (message) => {
      signed.push(message);
      return account.signMessage({ message });
    },
  });
  return { signed, credential, account };
}

test('reads of one path share a signature, each change and each other path has one of its own', async () => {
  const { signed, credential } = countingWallet();
  const client = createClient({ baseUrl: service.url, credential });
  await Promise.all([client.orgs.list(), client.orgs.list(), client.orgs.list()]);
  expect(signed).toHaveLength(1);
  await client.identity.whoami();
  expect(signed).toHaveLength(2);
  await client.orgs.create({});
  await client.orgs.create({});
  expect(signed).toHaveLength(4);
  await client.orgs.list();
  expect(signed).toHaveLength(4);
  await client.graphql('{ __typename }');
  await client.graphql('query Again { __typename }');
  expect(signed).toHaveLength(5);
});

test('a signature is used again while it is good, and no longer', async () => {
  const { signed, credential } = countingWallet();
  const request = { baseUrl: service.url, path: '/orgs/v1', isChange: false };
  vi.useFakeTimers({ toFake: ['Date'] });
  const first = await credential.headers(request);
  vi.setSystemTime(Date.now() + 4 * 60_000);
  expect(await credential.headers(request)).toEqual(first);
  vi.setSystemTime(Date.now() + 60_000);
  expect(await credential.headers(request)).not.toEqual(first);
  expect(signed).toHaveLength(2);
});

test('a wallet that is asked and refuses is asked again', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  let refusals = 1;
  const credential = wallet({
    address: account.address,
    signMessage: async (message) => {
      if (refusals-- > 0) throw new Error('The owner said no.');
      return account.signMessage({ message });
    },
  });
  const client = createClient({ baseUrl: service.url, credential });
  await expect(client.orgs.list()).rejects.toThrow('The owner said no.');
  expect(await client.orgs.list()).toEqual({ orgs: [] });
});

test('a wallet of the browser signs in, however it spells its address', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  const signer = await browserSigner({
    async request({ method, params }) {
      if (method === 'eth_requestAccounts') return [account.address.toLowerCase()];
      expect([method, params[1]]).toEqual(['personal_sign', account.address.toLowerCase()]);
      return account.signMessage({ message: { raw: params[0] } });
    },
  });
  const client = createClient({ baseUrl: service.url, credential: wallet(signer) });
  const { memberships } = await client.identity.whoami();
  expect(memberships).toEqual([]);
});

test('every other credential opens what it is for', async () => {
  const { token } = await service.actors.delegate({ orgId: org, projectId: project, capabilities: ['read'] });
  const by = (credential: ReturnType<typeof bearer>) => createClient({ baseUrl: service.url, credential });
  expect(await by(delegate(token)).projects.get({ project })).toMatchObject({ projectId: project });
  expect(await by(bearer(serviceKey)).projects.get({ project })).toMatchObject({ projectId: project });
  expect(await by(projectKey({ key: anonKey })).auth.providers()).toMatchObject({ password: { enabled: true } });
  expect(await by(adminKey((await service.actors.admin.headers('/'))['x-admin-key']!)).mail.listOutbox()).toMatchObject(
    { mails: [] },
  );
  const person = await service.actors.session({ passkeyAgeSeconds: 1 });
  await service.actors.member(org, person.principalId, 'owner');
  const approval = await service.actors.approval(person, 'org.project.create', org);
  const writeApproval = approval.replace('Bearer ', '');
  const approved = by(session({ accessToken: person.token, writeApproval }));
  await expect(by(session({ accessToken: person.token })).projects.create({ orgId: org })).rejects.toMatchObject({
    code: 'WRITE_AUTH_REQUIRED',
    kind: 'operator_approval_required',
  });
  expect(await approved.projects.create({ orgId: org })).toMatchObject({ orgId: org });
});

test('the client says who it is where that may be said, and asks nobody who they are where nobody is asked', async () => {
  const { signed, credential } = countingWallet();
  const client = createClient({ baseUrl: road.url, credential, clientName: 'surface="test"' });
  await client.audit.stats();
  await client.tiers.list();
  expect(road.seen.map(({ headers }) => [headers['svc-client'], headers['sign-in-with-x'] !== undefined])).toEqual([
    [undefined, false],
    ['surface="test"', true],
  ]);
  expect(signed).toHaveLength(1);
});

test('pages are gone through to the end, forwards and backwards', async () => {
  const sent: string[] = [];
  for (let n = 0; n < 7; n++) sent.push((await own.rooms.sendMessage({ org, room: 'pages', body: `p${n}` })).messageId);
  const read = async (order: 'asc' | 'desc') => {
    const sizes: number[] = [];
    const ids: string[] = [];
    for await (const { messages } of own.rooms.listMessages.pages({ org, room: 'pages', limit: 3, order })) {
      sizes.push(messages.length);
      ids.push(...messages.map(({ messageId }) => messageId));
    }
    return { sizes, ids };
  };
  expect(await read('asc')).toEqual({ sizes: [3, 3, 1], ids: sent });
  expect(await read('desc')).toEqual({ sizes: [3, 3, 1], ids: sent.toReversed() });
  const trail: string[] = [];
  for await (const { id } of own.orgs.listAudit.each({ org, limit: 2 })) trail.push(id);
  const whole = await own.orgs.listAudit({ org, limit: 200 });
  expect(trail).toEqual(whole.events.map(({ id }) => id));
});
