import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

const rename = (actor: Actor, display_name: unknown, headers: Record<string, string> = {}) =>
  call(actor, 'PATCH', '/agent/v1/me', { body: { display_name }, headers });
const nameOf = async (actor: Actor) => (await call(actor, 'GET', '/agent/v1/whoami')).body.principal.display_name;

test('a principal names itself, and is answered who it is now', async () => {
  const { wallet, orgId } = await service.owner('Engines');
  const renamed = await rename(wallet, '  Ada Lovelace ');
  expect(renamed.status).toBe(200);
  expect(renamed.body).toMatchObject({
    principal: { display_name: 'Ada Lovelace', type: 'agent' },
    memberships: [{ org_id: orgId, display_name: 'Engines', role: 'owner' }],
    active_authenticator: { public_subject: wallet.address },
  });
  expect((await call(wallet, 'GET', '/agent/v1/whoami')).body).toStrictEqual(renamed.body);
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}/members`)).body.members).toMatchObject([
    { display_name: 'Ada Lovelace' },
  ]);
});

test('a session names its person, without a passkey; a delegate names itself and not whom its grant belongs to', async () => {
  const session = await actors.session();
  expect((await rename(session, 'Grace')).body.principal).toMatchObject({
    id: session.principalId,
    display_name: 'Grace',
  });
  const { wallet, orgId, projectId } = await service.project();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const renamed = await rename(delegate, 'Helper');
  expect(renamed.body.principal).toMatchObject({ id: delegate.principalId, display_name: 'Helper' });
  expect([await nameOf(delegate), await nameOf(wallet)]).toEqual(['Helper', null]);
});

test('an operator session, which only reads, is refused', async () => {
  const operator = await actors.session({ kind: 'operator' });
  expectRefusal(await rename(operator, 'Ada'), 'FORBIDDEN', { credential: 'operator' });
  expect(await nameOf(operator)).toBeNull();
});

test.each<[string, string, string]>([
  ['of one character', 'A', 'A'],
  ['of 64 characters', 'x'.repeat(64), 'x'.repeat(64)],
  ['of 64 characters outside the first plane', '🦊'.repeat(64), '🦊'.repeat(64)],
  ['of 64 characters between blanks', ` \u00a0${'x'.repeat(64)}\n`, 'x'.repeat(64)],
  ['in an unnormalised form, which is kept in NFC', 'Ame\u0301lie', 'Am\u00e9lie'],
  ['of 64 characters once it is normalised', 'e\u0301'.repeat(64), '\u00e9'.repeat(64)],
  ['that looks like another: look-alikes are no business of a name', '\u0410da', '\u0410da'],
  ['in full width, which is another name', '\uff21da', '\uff21da'],
  ['from right to left', 'עדה', 'עדה'],
  ['with a joiner, as some scripts need', 'می\u200cخواهم', 'می\u200cخواهم'],
  ['with joined emoji', '👩\u200d👩\u200d👧', '👩\u200d👩\u200d👧'],
])('a name %s is taken', async (_case, given, kept) => {
  const wallet = actors.wallet();
  expect((await rename(wallet, given)).body.principal.display_name).toBe(kept);
  expect(await nameOf(wallet)).toBe(kept);
});

test.each<[string, string, string]>([
  ['of nothing', '', 'must show something'],
  ['of blanks', ' \t\u3000\n', 'must show something'],
  ['of a filler that shows nothing', '\u3164', 'must show something'],
  ['of a variation selector', '\ufe0f', 'must show something'],
  ['of a blank pattern of Braille', '\u2800', 'must show something'],
  ['of 65 characters', 'x'.repeat(65), 'at most 64 characters'],
  ['of 65 characters outside the first plane', '🦊'.repeat(65), 'at most 64 characters'],
  ['with a line end inside', 'Ada\nLovelace', 'must not contain control characters'],
  ['with a bell', 'Ada\u0007', 'must not contain control characters'],
  ['with a C1 control', 'Ada\u0085x', 'must not contain control characters'],
  ['with a right-to-left override', 'Ada\u202enimda', 'must not contain format characters'],
  ['with a zero-width space', 'Ada\u200bx', 'must not contain format characters'],
  ['with a soft hyphen', 'Ada\u00adx', 'must not contain format characters'],
])('a name %s is INVALID_DISPLAY_NAME, and the old one stays', async (_case, given, reason) => {
  const wallet = actors.wallet();
  await rename(wallet, 'Ada');
  expectRefusal(await rename(wallet, given), 'INVALID_DISPLAY_NAME', { min: 1, max: 64, reason });
  const graph = await service.graphql(
    wallet,
    'mutation ($in: SetDisplayNameInput!) { setDisplayName(input: $in) { principal { displayName } } }',
    { in: { displayName: given } },
  );
  expect(graph.errors![0]!.extensions).toMatchObject({
    code: 'INVALID_DISPLAY_NAME',
    details: { min: 1, max: 64, reason },
  });
  expect(await nameOf(wallet)).toBe('Ada');
});

test.each<[string, unknown]>([
  ['no name', undefined],
  ['null', null],
  ['a number', 7],
  ['a list', ['Ada']],
])('%s is INVALID_DISPLAY_NAME, too', async (_case, given) => {
  expectRefusal(await rename(actors.wallet(), given), 'INVALID_DISPLAY_NAME', { min: 1, max: 64 });
});

test('a text that cannot be kept is VALIDATION_FAILED', async () => {
  const details = { field: 'display_name', reason: 'contains a NUL character' };
  expectRefusal(await rename(actors.wallet(), 'a\0b'), 'VALIDATION_FAILED', details);
});

test('GraphQL renames the same principal, once under a key', async () => {
  const wallet = actors.wallet();
  const set =
    'mutation ($in: SetDisplayNameInput!) { setDisplayName(input: $in) { principal { displayName principalId } } }';
  const input = { in: { displayName: ' Ada ', idempotencyKey: randomUUID() } };
  const first = await service.graphql(wallet, set, input);
  const { principal } = (await call(wallet, 'GET', '/agent/v1/whoami')).body;
  const answer = { principal: { displayName: 'Ada', principalId: principal.id } };
  expect(first.data.setDisplayName).toEqual(answer);
  await rename(wallet, 'Grace');
  expect((await service.graphql(wallet, set, input)).data.setDisplayName).toEqual(answer);
  expect(await nameOf(wallet)).toBe('Grace');
});

test('a name is written down in the trail of nobody’s organization', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  await rename(wallet, 'Ada');
  const events = await control.sql(
    `select org_id, object_kind, details from audit_events where action = 'principal.renamed' and object_id = $1`,
    [principalId],
  );
  expect(events).toEqual([{ org_id: null, object_kind: 'principal', details: { display_name: 'Ada' } }]);
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}/audit`)).body.events).toHaveLength(1);
});
