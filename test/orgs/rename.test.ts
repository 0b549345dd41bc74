import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

async function named(name = 'Engines') {
  const { wallet, orgId } = await service.owner(name);
  const path = `/orgs/v1/${orgId}`;
  return {
    wallet,
    orgId,
    path,
    rename: (body: object, headers: Record<string, string> = {}) => call(wallet, 'PATCH', path, { body, headers }),
    name: async () => (await call(wallet, 'GET', path)).body.display_name,
  };
}

test('an owner renames the organization and is answered its summary', async () => {
  const { rename, path, wallet } = await named();
  const renamed = await rename({ display_name: 'Analytical Engines' });
  expect(renamed.status).toBe(200);
  const { role, ...summary } = (await call(wallet, 'GET', path)).body;
  expect([role, renamed.body]).toStrictEqual(['owner', { ...summary, display_name: 'Analytical Engines' }]);
});

test.each([null, '', '   ', '\u00a0\n'])('%j takes the name away', async (display_name) => {
  const { rename, name } = await named();
  expect((await rename({ display_name })).body.display_name).toBeNull();
  expect(await name()).toBeNull();
});

test.each<[string, string, string]>([
  ['of 100 characters', '🦊'.repeat(100), '🦊'.repeat(100)],
  ['between blanks', ' Ada’s ', 'Ada’s'],
  ['in an unnormalised form, which is kept in NFC', 'Cafe\u0301', 'Caf\u00e9'],
  ['that another organization has', 'Engines', 'Engines'],
])('a name %s is taken', async (_case, display_name, kept) => {
  await named('Engines');
  const { rename, name } = await named('Old');
  expect((await rename({ display_name })).body.display_name).toBe(kept);
  expect(await name()).toBe(kept);
});

test.each<[string, object, string, string]>([
  ['no name', {}, 'display_name', 'is required'],
  ['a number', { display_name: 1 }, 'display_name', 'must be a text'],
  ['101 characters', { display_name: 'x'.repeat(101) }, 'display_name', 'at most 100 characters'],
  ['a control character', { display_name: 'a\tb' }, 'display_name', 'must not contain control characters'],
  ['a format character', { display_name: 'a\u2066b' }, 'display_name', 'must not contain format characters'],
  ['a filler that shows nothing', { display_name: '\u3164' }, 'display_name', 'must show something'],
  ['NUL', { display_name: 'a\0' }, 'display_name', 'must not contain control characters'],
])('%s is refused, and the name stays', async (_case, body, field, reason) => {
  const { rename, name } = await named();
  expectRefusal(await rename(body), 'VALIDATION_FAILED', { field, reason });
  expect(await name()).toBe('Engines');
});

test('members of the body that are not known are passed over', async () => {
  const { rename, name } = await named();
  expect((await rename({ display_name: 'x', tier: 'team', org: 'y' })).status).toBe(200);
  expect(await name()).toBe('x');
});

test('a session renames with a fresh passkey alone', async () => {
  const { orgId, path, name } = await named();
  const stale = await actors.session({ passkeyAgeSeconds: 301 });
  await actors.member(orgId, stale.principalId, 'owner');
  const body = { display_name: 'x' };
  expectRefusal(await call(stale, 'PATCH', path, { body }), 'STEP_UP_REQUIRED', { op_class: 'org.rename' });
  expect(await name()).toBe('Engines');
  const fresh = await actors.session({ principalId: stale.principalId, passkeyAgeSeconds: 1 });
  expect((await call(fresh, 'PATCH', path, { body })).status).toBe(200);
});

test('a frozen organization keeps its name', async () => {
  const { orgId, rename, name } = await named();
  await control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
  expectRefusal(await rename({ display_name: 'x' }), 'PROJECT_FROZEN');
  expect(await name()).toBe('Engines');
});

test('a rename under one idempotency key happens once', async () => {
  const { rename, name } = await named();
  const headers = { 'idempotency-key': randomUUID() };
  const first = await rename({ display_name: 'First' }, headers);
  await rename({ display_name: 'Second' });
  expect((await rename({ display_name: 'First' }, headers)).body).toStrictEqual(first.body);
  expect(await name()).toBe('Second');
});

test('GraphQL renames, clears for null, and takes nothing away for what is left out', async () => {
  const { wallet, orgId, name } = await named();
  const rename =
    'mutation ($in: RenameOrganizationInput!) { renameOrganization(input: $in) { orgId displayName role } }';
  const renamed = await service.graphql(wallet, rename, { in: { org: orgId, displayName: 'Cafe\u0301' } });
  expect(renamed.data.renameOrganization).toEqual({ orgId, displayName: 'Café', role: 'OWNER' });
  const absent = await service.graphql(wallet, rename, { in: { org: orgId } });
  expect(absent.errors![0]!.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'displayName' } });
  expect(await name()).toBe('Café');
  const cleared = await service.graphql(wallet, rename, { in: { org: `Organization_${orgId}`, displayName: null } });
  expect(cleared.data.renameOrganization.displayName).toBeNull();
  expect(await name()).toBeNull();
});
