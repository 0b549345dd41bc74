import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { shop } from '../audit/fixture-sites.ts';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, paying, sign } from '../payments/shop.ts';
import { newKey } from '../rooms/invite-key.ts';
import { roomsOf } from '../rooms/room.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const base = await startChain();
const sepolia = await startChain({ chainId: 84532 });
const sites = await startSites({ 'shop.audit-sites.net': shop });
const service = await startService({
  auditTrial: sites.trial,
  env: {
    SETTLEMENT_ADDRESS: payTo,
    X402_SETTLER_KEY: base.settlerKey,
    RPC_URL_BASE: base.rpcUrl,
    RPC_URL_BASE_SEPOLIA: sepolia.rpcUrl,
  },
});
await sepolia.fund(privateKeyToAddress(base.settlerKey));
afterAll(async () => {
  await service.stop();
  sites.close();
  await base.stop();
  await sepolia.stop();
});

const trail = (action: string, made: string) =>
  service.control.sql(
    `select a.org_id, a.object_kind, a.xmin::text = m.xmin::text as together
     from audit_events a join ${made} m on ${made === 'orders' ? 'm.id = a.object_id' : 'm.org_id = a.org_id and m.xmin::text = a.xmin::text'}
     where a.action = $1`,
    [action],
  );

test.each([
  ['audit.bought', '/api/x402-audit?url=shop.audit-sites.net/shoes'],
  ['audit.pack_bought', '/api/x402-pro?url=shop.audit-sites.net/shoes'],
  ['audit.source_bought', '/api/x402-buyout?buyer_domain=shop.audit-sites.net'],
])('%s is in the trail once, in the transaction of its order', async (action, path) => {
  const { nobody } = service.actors;
  const payer = await base.payer();
  const offer = challengeOf(await service.call(nobody, 'GET', path)).accepts[0];
  const { status } = await service.call(nobody, 'GET', path, { headers: paying(await sign(payer, offer)) });
  expect(status).toBe(200);
  expect(await trail(action, 'orders')).toEqual([{ org_id: null, object_kind: 'order', together: true }]);
});

test('room_invite.claimed is in the trail once, in the transaction of the membership', async () => {
  const room = await roomsOf(service)();
  const key = newKey();
  await room.post('/invites', { invite_id: key.id, auth_hash: key.authHash });
  const redeem = (headers: Record<string, string> = {}) =>
    service.call(service.actors.nobody, 'POST', `/rooms/v1/invites/${key.id}/claim`, {
      body: { auth_secret: key.authSecret },
      headers,
    });
  const payer = await sepolia.payer();
  const { status } = await redeem(paying(await sign(payer, challengeOf(await redeem()).accepts[0])));
  expect(status).toBe(200);
  expect(await trail('room_invite.claimed', 'memberships')).toEqual([
    { org_id: room.orgId, object_kind: 'room_invite', together: true },
  ]);
});
