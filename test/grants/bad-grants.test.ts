import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

// What is no grant is refused by name, and leaves neither a grant nor a principal behind.

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { control } = service;

const { wallet, projectId, orgId } = await service.project();
const grants = `/projects/v1/${projectId}/grants`;
const address = '0x00000000000000000000000000000000000000AB';
const given = { wallet: address, capability: 'read' };

const counts = () =>
  control.sql(
    'select (select count(*) from project_grants) as grants, (select count(*) from principals) as principals',
  );

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
const raw = (policy: string) => `{"wallet":"${address}","capability":"read","policy":${policy}}`;

test.each<[string, object | string, string, string]>([
  ['no wallet', { capability: 'read' }, 'wallet', 'is required'],
  ['a wallet that is too short', { ...given, wallet: '0x12' }, 'wallet', 'must be a wallet address'],
  ['a wallet of 41 digits', { ...given, wallet: `${address}0` }, 'wallet', 'must be a wallet address'],
  ['a wallet without 0x', { ...given, wallet: address.slice(2) }, 'wallet', 'must be a wallet address'],
  ['a wallet between blanks', { ...given, wallet: ` ${address}` }, 'wallet', 'must be a wallet address'],
  ['a wallet with a line end', { ...given, wallet: `${address}\n` }, 'wallet', 'must be a wallet address'],
  ['look-alike digits', { ...given, wallet: address.replace('0x0', '0x\uff10') }, 'wallet', 'must be a wallet address'],
  ['a Cyrillic look-alike of A', { ...given, wallet: address.replace('A', '\u0410') }, 'wallet', 'must be a wallet'],
  ['a name of a wallet', { ...given, wallet: 'ada.eth' }, 'wallet', 'must be a wallet address'],
  ['a number as wallet', { ...given, wallet: 7 }, 'wallet', 'must be a text'],
  ['no capability', { wallet: address }, 'capability', 'must be one of read'],
  ['a capability nobody knows', { ...given, capability: 'root' }, 'capability', 'must be one of read'],
  ['a capability in capitals', { ...given, capability: 'READ' }, 'capability', 'must be one of'],
  ['a role as capability', { ...given, capability: 'owner' }, 'capability', 'must be one of'],
  ['a policy that is a list', { ...given, policy: [] }, 'policy', 'must be an object'],
  ['a policy that is a text', { ...given, policy: '{}' }, 'policy', 'must be an object'],
  ['a policy that is a number', { ...given, policy: 1 }, 'policy', 'must be an object'],
  ['a policy nine levels deep', { ...given, policy: nested(9) }, 'policy', 'at most 8 levels deep'],
  [
    'a policy of 100,000 levels',
    raw(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    'policy',
    'at most 8 levels',
  ],
  ['a policy over 8 KiB', { ...given, policy: { a: 'x'.repeat(8_185) } }, 'policy', 'at most 8 KiB of JSON'],
  [
    'a policy over 8 KiB in two-byte letters',
    { ...given, policy: { a: 'é'.repeat(4_093) } },
    'policy',
    'at most 8 KiB',
  ],
  ['a policy with a prototype', raw('{"__proto__":{"a":1}}'), 'policy', 'must have no member __proto__'],
  ['a policy with one below', raw('{"a":[{"__proto__":1}]}'), 'policy', 'must have no member __proto__'],
  ['a policy with NUL', { ...given, policy: { a: ['b\0'] } }, 'policy.a[0]', 'contains a NUL character'],
  ['a policy with half a pair', { ...given, policy: { 'a\ud800': 1 } }, 'policy', 'has a name with a bad character'],
  ['an end that is over', { ...given, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'must be in the future'],
  ['an end this moment', { ...given, expires_at: new Date().toISOString() }, 'expires_at', 'must be in the future'],
  ['an end without a zone', { ...given, expires_at: '2099-01-01T00:00:00' }, 'expires_at', 'must be a moment'],
  ['an end that is a date', { ...given, expires_at: '2099-01-01' }, 'expires_at', 'must be a moment'],
  ['an end on a day there is not', { ...given, expires_at: '2099-02-30T00:00:00Z' }, 'expires_at', 'must be a moment'],
  ['an end in words', { ...given, expires_at: 'tomorrow' }, 'expires_at', 'must be a moment'],
  ['an end in seconds', { ...given, expires_at: 4_000_000_000 }, 'expires_at', 'must be a'],
])('%s is refused', async (_case, body, field, reason) => {
  const before = await counts();
  const answer = await call(wallet, 'POST', grants, { body });
  expectRefusal(answer, 'VALIDATION_FAILED', { field, reason: expect.stringContaining(reason) });
  expect(await counts()).toEqual(before);
});

test.each<[string, object]>([
  ['a policy of exactly 8 KiB', { policy: { a: 'x'.repeat(8_184) } }],
  ['a policy eight levels deep', { policy: nested(8) }],
  ['an empty policy', { policy: {} }],
  ['nulls for what may be absent', { policy: null, expires_at: null }],
  ['an end in another zone', { expires_at: '2099-01-01T00:00:00.5+14:00' }],
])('%s is taken', async (_case, more) => {
  const answer = await call(wallet, 'POST', grants, {
    body: { wallet: service.actors.wallet().address, capability: 'read', ...more },
  });
  expect(answer.status).toBe(201);
  const { grants: rows } = (await call(wallet, 'GET', grants)).body;
  const row = rows.find(({ id }: { id: string }) => id === answer.body.grant_id);
  expect(row.policy).toEqual('policy' in more ? more.policy : null);
  expect(row.expires_at).toBe('policy' in more ? null : '2098-12-31T10:00:00.500Z');
});

test.each(['x', '0', "' or 1=1--", crypto.randomUUID(), 'x'.repeat(64)])('%s is the id of no grant', async (id) => {
  const path = `${grants}/${encodeURIComponent(id)}`;
  expectRefusal(await call(wallet, 'DELETE', path), 'GRANT_NOT_FOUND');
});

test('GraphQL refuses the same, and names it', async () => {
  const create = 'mutation ($in: CreateGrantInput!) { createGrant(input: $in) { grantId } }';
  const base = { project: projectId, wallet: address, capability: 'READ' };
  const before = await counts();
  for (const [more, code, said] of [
    [{ wallet: '0x1' }, 'VALIDATION_FAILED', /^wallet: must be a wallet address/],
    [{ policy: nested(9) }, 'VALIDATION_FAILED', /^policy: at most 8 levels/],
    [{ policy: JSON.parse('{"__proto__":{}}') }, 'VALIDATION_FAILED', /^policy: must have no member __proto__/],
    [{ policy: [] }, 'VALIDATION_FAILED', /JSONObject/],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'VALIDATION_FAILED', /must be in the future/],
    [{ expiresAt: '2099-01-01T00:00:00' }, 'VALIDATION_FAILED', /time zone/],
    [{ capability: 'ROOT' }, 'VALIDATION_FAILED', /ROOT/],
  ] as const) {
    const { errors } = await service.graphql(wallet, create, { in: { ...base, ...more } });
    expect([errors![0]!.extensions.code, errors![0]!.message]).toEqual([code, expect.stringMatching(said)]);
  }
  const revoke = 'mutation ($in: RevokeGrantInput!) { revokeGrant(input: $in) { grantId } }';
  const { errors } = await service.graphql(wallet, revoke, { in: { project: projectId, grant: 'x' } });
  expect(errors![0]!.extensions.code).toBe('GRANT_NOT_FOUND');
  expect(await counts()).toEqual(before);
  expect(
    await control.sql(`select 1 from audit_events where org_id = $1 and action = 'grant.revoked'`, [orgId]),
  ).toEqual([]);
});
