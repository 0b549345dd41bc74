import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

async function ownedOrg() {
  const { wallet, orgId, principalId } = await service.owner();
  const path = `/orgs/v1/${orgId}/payout-wallet`;
  return {
    wallet,
    orgId,
    principalId,
    path,
    set: (wallet_address: unknown, headers: Record<string, string> = {}) =>
      call(wallet, 'PATCH', path, { body: { wallet_address }, headers }),
    /** A member with a wallet. */
    async join(role: string, status = 'active') {
      const member = actors.wallet();
      const me = await call(member, 'GET', '/agent/v1/whoami');
      await actors.member(orgId, me.body.principal.id, role, status);
      return { address: member.address, principalId: me.body.principal.id as string };
    },
  };
}

const named = `0x${'AB'.repeat(20)}`;
const kept = named.toLowerCase();

test('an owner names the wallet in any letter case, changes it, and clears it', async () => {
  const { set, orgId, wallet } = await ownedOrg();
  const first = await set(named);
  expect([first.status, first.body]).toStrictEqual([
    200,
    {
      status: 'set',
      org_id: orgId,
      default_payout_wallet: kept,
      previous_default_payout_wallet: null,
      recovery: { status: 'ready', active_wallet_count: 1, mode: 'default', wallet_address: kept, next_actions: [] },
    },
  ]);
  expect((await set(wallet.checksumAddress)).body).toMatchObject({
    default_payout_wallet: wallet.address,
    previous_default_payout_wallet: kept,
  });
  const cleared = await set(null);
  expect([cleared.status, cleared.body]).toStrictEqual([
    200,
    {
      status: 'cleared',
      org_id: orgId,
      default_payout_wallet: null,
      previous_default_payout_wallet: wallet.address,
      recovery: {
        status: 'ready',
        active_wallet_count: 1,
        mode: 'single_active_wallet',
        wallet_address: wallet.address,
        next_actions: [],
      },
    },
  ]);
});

const openAction = (path: string) => [
  { type: 'edit_request', method: 'PATCH', path, why: 'Name the wallet that earnings go to.' },
];

test('with several wallets among members from billing upwards, and none named, it is ambiguous', async () => {
  const { set, join, path } = await ownedOrg();
  await join('billing');
  expect((await set(null)).body.recovery).toStrictEqual({
    status: 'ambiguous',
    active_wallet_count: 2,
    code: 'PAYOUT_WALLET_AMBIGUOUS',
    next_actions: openAction(path),
  });
  expect((await set(named)).body.recovery).toMatchObject({ status: 'ready', active_wallet_count: 2, mode: 'default' });
});

test('with no wallet at all one is required', async () => {
  const { orgId, path, principalId } = await ownedOrg();
  const person = await actors.session();
  await actors.member(orgId, person.principalId, 'owner');
  await control.sql(`update memberships set status = 'revoked' where org_id = $1 and principal_id = $2`, [
    orgId,
    principalId,
  ]);
  const { body } = await call(person, 'PATCH', path, { body: { wallet_address: null } });
  expect(body.recovery).toStrictEqual({
    status: 'required',
    active_wallet_count: 0,
    code: 'PAYOUT_WALLET_REQUIRED',
    next_actions: openAction(path),
  });
});

test('wallets of viewers, of members that are not active, of disabled principals and revoked ones do not count', async () => {
  const { set, join } = await ownedOrg();
  await join('viewer');
  for (const status of ['invited', 'suspended', 'revoked']) await join('owner', status);
  const disabled = await join('admin');
  await control.sql('update principals set disabled_at = now() where id = $1', [disabled.principalId]);
  const revoked = await join('developer');
  await control.sql('update authenticators set revoked_at = now() where principal_id = $1', [revoked.principalId]);
  expect((await set(null)).body.recovery).toMatchObject({ status: 'ready', active_wallet_count: 1 });
});

test('a wallet that was added and never signed is nobody to pay to', async () => {
  const { wallet, orgId, path } = await ownedOrg();
  const unproven = actors.wallet();
  await call(wallet, 'POST', `/orgs/v1/${orgId}/members`, { body: { wallet: unproven.address, role: 'billing' } });
  const told = async () => (await call(wallet, 'GET', path)).body.recovery;
  expect(await told()).toMatchObject({ status: 'ready', active_wallet_count: 1, wallet_address: wallet.address });
  await call(unproven, 'GET', '/agent/v1/whoami');
  expect(await told()).toMatchObject({ status: 'ambiguous', active_wallet_count: 2 });
});

test('where earnings go is shown from billing upwards, over both surfaces, and to nobody below', async () => {
  const { orgId, path, set } = await ownedOrg();
  await set(named);
  const query = 'query ($id: ID!) { organization(id: $id) { orgId payout { wallet } } }';
  for (const role of ['admin', 'developer', 'billing', 'viewer']) {
    const member = actors.wallet();
    const me = await call(member, 'GET', '/agent/v1/whoami');
    await actors.member(orgId, me.body.principal.id, role);
    const rest = await call(member, 'GET', path);
    const graph = await service.graphql(member, query, { id: orgId });
    if (role === 'viewer') {
      expectRefusal(rest, 'NOT_AUTHORIZED', { action: 'org:payout:read', reason: 'forbidden' });
      expect(graph.data.organization).toEqual({ orgId, payout: null });
      expect(graph.errors![0]!.extensions).toMatchObject({ code: 'NOT_AUTHORIZED', details: { reason: 'forbidden' } });
    } else {
      expect(rest.body).toMatchObject({ org_id: orgId, default_payout_wallet: kept });
      expect(graph.data.organization).toEqual({ orgId, payout: { wallet: kept } });
    }
  }
});

test('of twenty who name a wallet at once each is told the one before it', async () => {
  const { set } = await ownedOrg();
  const wallets = Array.from({ length: 20 }, () => actors.wallet().address);
  const answers = await Promise.all(wallets.map((address) => set(address)));
  const previous = answers.map(({ body }) => body.previous_default_payout_wallet);
  const last = (await set(null)).body.previous_default_payout_wallet;
  expect([...previous, last].sort()).toEqual([null, ...wallets].sort());
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'is required'],
  ['no text', '', 'must be a wallet address'],
  ['a short address', '0x12', 'must be a wallet address'],
  ['an address with a look-alike', named.replace('AB', '\u0410B'), 'must be a wallet address'],
  ['an address between blanks', ` ${named}`, 'must be a wallet address'],
  ['the address of nobody', `0x${'0'.repeat(40)}`, 'must not be the zero address'],
  ['a number', 5, 'must be a text'],
])('%s is refused', async (_case, given, reason) => {
  const { set, orgId } = await ownedOrg();
  await set(named);
  const details = { field: 'wallet_address', reason: expect.stringContaining(reason) };
  expectRefusal(await set(given), 'VALIDATION_FAILED', details);
  expect(await control.sql('select payout_wallet from orgs where id = $1', [orgId])).toEqual([{ payout_wallet: kept }]);
});

test('a frozen organization’s earnings go where they went', async () => {
  const { set, orgId } = await ownedOrg();
  await set(named);
  await control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
  expectRefusal(await set(null), 'PROJECT_FROZEN');
  expect(await control.sql('select payout_wallet from orgs where id = $1', [orgId])).toEqual([{ payout_wallet: kept }]);
});

test('under one idempotency key a wallet is named once', async () => {
  const { set } = await ownedOrg();
  const headers = { 'idempotency-key': randomUUID() };
  const first = await set(named, headers);
  await set(null);
  expect((await set(named, headers)).body).toStrictEqual(first.body);
  expect((await set(null)).body.previous_default_payout_wallet).toBeNull();
});

test('GraphQL names, shows and clears the wallet, and takes nothing away for what is left out', async () => {
  const { wallet, orgId, join } = await ownedOrg();
  const set = `mutation ($in: SetPayoutWalletInput!) { setPayoutWallet(input: $in) {
    orgId role payout { defaultWallet status mode wallet activeWallets } } }`;
  const named_ = await service.graphql(wallet, set, { in: { org: orgId, walletAddress: named } });
  const payout = { defaultWallet: kept, status: 'READY', mode: 'DEFAULT', wallet: kept, activeWallets: 1 };
  expect(named_.data.setPayoutWallet).toEqual({ orgId, role: 'OWNER', payout });
  const absent = await service.graphql(wallet, set, { in: { org: orgId } });
  expect(absent.errors![0]!.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { field: 'walletAddress' },
  });
  const query =
    'query ($id: ID!) { organization(id: $id) { payout { defaultWallet status mode wallet activeWallets } } }';
  expect((await service.graphql(wallet, query, { id: orgId })).data.organization).toEqual({ payout });
  await join('admin');
  const cleared = await service.graphql(wallet, set, { in: { org: orgId, walletAddress: null } });
  expect(cleared.data.setPayoutWallet.payout).toEqual({
    defaultWallet: null,
    status: 'AMBIGUOUS',
    mode: null,
    wallet: null,
    activeWallets: 2,
  });
});
