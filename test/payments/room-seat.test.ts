import { randomBytes } from 'node:crypto';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { newKey } from '../rooms/invite-key.ts';
import { roomsOf } from '../rooms/room.ts';
import { challengeOf, decoded, paying, sign } from './shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain({ chainId: 84532 });
const service = await startService({
  env: { SETTLEMENT_ADDRESS: payTo, X402_SETTLER_KEY: chain.settlerKey, RPC_URL_BASE_SEPOLIA: chain.rpcUrl },
});
afterAll(async () => {
  await service.stop();
  await chain.stop();
});
const newRoom = roomsOf(service);
const { nobody } = service.actors;

async function invited(note?: string) {
  const room = await newRoom();
  const key = newKey();
  const minted = await room.post('/invites', { invite_id: key.id, auth_hash: key.authHash, ...(note && { note }) });
  expect(minted.status).toBe(201);
  const redeem = (headers: Record<string, string> = {}, more: object = {}, verb = 'claim') =>
    service.call<Record<string, never>>(nobody, 'POST', `/rooms/v1/invites/${key.id}/${verb}`, {
      body: { auth_secret: key.authSecret, ...more },
      headers,
    });
  return { ...room, ...key, redeem };
}

test('who pays for a key is seated in the room for good, announced, and told of it in its own organization', async () => {
  const { redeem, orgId, get } = await invitedRoom();
  const payer = await chain.payer();
  const header = await sign(payer, challengeOf(await redeem()).accepts[0]);
  const seated = await redeem(paying(header), { requested_name: 'Guest', session_key: 'one' });
  expect([seated.status, seated.body]).toMatchObject([
    200,
    {
      kind: 'room',
      deduplicated: false,
      org_id: orgId,
      membership: { org_id: orgId, role: 'viewer', status: 'active' },
      room: { org_id: orgId, room_key: expect.any(String) },
      note: 'welcome',
      seat: {
        sku: 'room_seat',
        amount_usd_micros: 10_000,
        network: 'base-sepolia',
        charge_id: expect.stringMatching(/^txp_/),
      },
      presence: { name: 'Guest', presence_id: expect.stringMatching(/^prs_/) },
      cursor: expect.stringMatching(/^mcr_/),
      recent_messages: [{ sender: 'Guest', body_snippet: 'Guest has arrived by an invite key.' }],
    },
  ]);
  expect(decoded(seated.headers.get('payment-response'))).toMatchObject({ success: true, network: 'eip155:84532' });
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
  expect((await get('/messages')).status).toBe(200);
  const [member] = await service.control.sql<{ role: string; own: string }>(
    `select m.role, o.id as own from authenticators a
     join memberships m on m.principal_id = a.principal_id and m.org_id = $2
     join orgs o on o.home_of = a.principal_id
     where a.public_subject = $1`,
    [payer.address.toLowerCase(), orgId],
  );
  expect(member!.role).toBe('viewer');
  const told = await service.control.sql<{ payload: object }>(
    `select payload from events where org_id = $1 and type = 'platform_payment_received'`,
    [member!.own],
  );
  expect(told).toMatchObject([{ payload: { kind: 'room_seat', amount_usd_micros: 10_000, rail: 'x402' } }]);

  // Again, by the same payment and by another of the same wallet: the same seat, and nothing is paid.
  const other = await sign(payer, challengeOf(await redeem()).accepts[0]);
  for (const [again, verb] of [
    [header, 'claim'],
    [other, 'redeem'],
  ] as const) {
    const repeated = await redeem(paying(again), { requested_name: 'Guest', session_key: 'one' }, verb);
    expect([repeated.status, repeated.body]).toMatchObject([
      200,
      { deduplicated: true, membership: { role: 'viewer' }, presence: { name: 'Guest' } },
    ]);
    expect(repeated.headers.get('payment-response')).toBeNull();
  }
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);

  const stranger = await chain.payer();
  const late = await sign(stranger, challengeOf(await redeem()).accepts[0]);
  expectRefusal(await redeem(paying(late)), 'ROOM_INVITE_KEY_ALREADY_CLAIMED');
  expect(await chain.balanceOf(stranger.address)).toBe(1_000_000_000n);
});

const invitedRoom = () => invited('welcome');

test('a key of an archived room seats its guest, without a message in the room', async () => {
  const { redeem, post, get } = await invited();
  expect((await post('/archive', {})).status).toBe(200);
  const payer = await chain.payer();
  const header = await sign(payer, challengeOf(await redeem()).accepts[0]);
  const seated = await redeem(paying(header), { requested_name: 'Guest' });
  expect([seated.status, seated.body]).toMatchObject([
    200,
    { membership: { role: 'viewer' }, presence: { name: 'Guest' }, recent_messages: [] },
  ]);
  expect((await get('/messages')).body).toMatchObject({ messages: [] });
});

test('an unmodified client redeems a key', async () => {
  const { id, authSecret, orgId } = await invited();
  const payer = await chain.payer();
  const schemes = [{ network: 'eip155:84532' as const, client: new ExactEvmScheme(payer) }];
  const answer = await wrapFetchWithPaymentFromConfig(fetch, { schemes })(
    `${service.url}/rooms/v1/invites/${id}/redeem`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth_secret: authSecret }),
    },
  );
  expect([answer.status, await answer.json()]).toMatchObject([200, { org_id: orgId, membership: { role: 'viewer' } }]);
});

test('of two who pay for one key at once, one is seated and the other keeps its money', async () => {
  const { redeem } = await invited();
  const payers = [await chain.payer(), await chain.payer()];
  const { accepts } = challengeOf(await redeem());
  const answers = await Promise.all(payers.map(async (payer) => redeem(paying(await sign(payer, accepts[0])))));
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(200);
  expectRefusal(answers.find(({ status }) => status !== 200)!, 'ROOM_INVITE_KEY_ALREADY_CLAIMED');
  const balances = await Promise.all(payers.map(({ address }) => chain.balanceOf(address)));
  expect(balances).toEqual(statuses.map((status) => (status === 200 ? 999_990_000n : 1_000_000_000n)));
});

test('a key that was taken back or has run out asks for nothing', async () => {
  const { redeem, id } = await invited();
  const payer = await chain.payer();
  const header = await sign(payer, challengeOf(await redeem()).accepts[0]);
  await service.control.sql('update room_invites set expires_at = now() where id = $1', [id]);
  expectRefusal(await redeem(paying(header)), 'ROOM_INVITE_KEY_EXPIRED');
  await service.control.sql('update room_invites set revoked_at = now() where id = $1', [id]);
  expectRefusal(await redeem(paying(header)), 'ROOM_INVITE_KEY_REVOKED');
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n);
});
