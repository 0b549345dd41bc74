import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { escalationsOf } from './own-org.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { call, contact, member } = escalationsOf(service);
const { control, actors } = service;

const contacts = (orgId: string, rest = '') => `/orgs/v1/${orgId}/escalation-contacts${rest}`;
const list = async (actor: Parameters<typeof call>[0], orgId: string) =>
  (await call(actor, 'GET', contacts(orgId))).body.escalation_contacts;

test('an owner adds contacts, every member sees them in the order in which they are paged, and the owner removes one', async () => {
  const { wallet, orgId } = await service.owner();
  const second = await contact(wallet, orgId, { email: 'second@example.com', level: 2 });
  const first = await contact(wallet, orgId, { email: '  Ada@Example.com ', display_name: 'Ada' });
  expect([first.status, second.status]).toEqual([201, 201]);
  const warnings = ['nobody has verified that ada@example.com is read'];
  const ada = { email: 'ada@example.com', display_name: 'Ada', level: 1, created_at: moment, warnings };
  expect(first.body).toStrictEqual({ contact_id: expect.any(String), ...ada });
  const viewer = await member(orgId);
  expect(await list(viewer.wallet, orgId)).toStrictEqual([first.body, second.body]);
  const removed = await call(wallet, 'DELETE', contacts(orgId, `/${first.body.contact_id}`));
  expect(removed.body).toStrictEqual({ contact_id: first.body.contact_id, revoked: true });
  expectRefusal(await call(wallet, 'DELETE', contacts(orgId, `/${first.body.contact_id}`)), 'RESOURCE_NOT_FOUND');
  expect(await list(wallet, orgId)).toStrictEqual([second.body]);
  const again = await contact(wallet, orgId, { email: 'ada@example.com' });
  expect([again.status, again.body.contact_id === first.body.contact_id]).toEqual([201, false]);
});

test('the same address on the same level stays one contact, also of twenty callers who race', async () => {
  const { wallet, orgId } = await service.owner();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      contact(wallet, orgId, { email: 'ada@example.com', display_name: `Ada ${n}` }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => body.contact_id)).size).toBe(1);
  expect((await contact(wallet, orgId, { email: 'ada@example.com', level: 2 })).status).toBe(201);
  expect(await list(wallet, orgId)).toHaveLength(2);
});

test('of twenty callers who race for the last two places two get them', async () => {
  const { wallet, orgId } = await service.owner();
  await control.sql(
    `insert into escalation_contacts (org_id, id, email, level)
     select $1, gen_random_uuid(), n || '@example.com', 1 from generate_series(1, 48) n`,
    [orgId],
  );
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => contact(wallet, orgId, { email: `late${n}@example.com` })),
  );
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(18);
  for (const answer of refused) {
    expectRefusal(answer, 'QUOTA_EXCEEDED', { resource: 'escalation_contacts', limit: 50, used: 50 });
  }
  expect(await list(wallet, orgId)).toHaveLength(50);
});

test('an address that somebody verified brings no warning, as a sign-in or as an operator’s contact', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  await control.sql(
    `insert into authenticators (id, principal_id, kind, public_subject, verified_at)
     values ($1, $2, 'email', 'signs-in@example.com', now())`,
    [randomUUID(), principalId],
  );
  await control.sql(
    `insert into operator_contacts (principal_id, name, email, email_verified_at)
     values ($1, 'Ada', 'notices@example.com', now())`,
    [principalId],
  );
  for (const email of ['signs-in@example.com', 'notices@example.com']) {
    expect((await contact(wallet, orgId, { email })).body).not.toHaveProperty('warnings');
  }
});

test('a session changes contacts with a fresh passkey alone, and no lower role does at all', async () => {
  const { orgId, principalId, wallet } = await service.owner();
  const { contact_id: id } = (await contact(wallet, orgId, { email: 'ada@example.com' })).body;
  for (const passkeyAgeSeconds of [undefined, 301]) {
    const session = await actors.session(
      passkeyAgeSeconds === undefined ? { principalId } : { principalId, passkeyAgeSeconds },
    );
    const details = { op_class: 'org.contacts', reason: passkeyAgeSeconds === undefined ? 'missing' : 'stale' };
    expectRefusal(await contact(session, orgId, { email: 'eve@example.com' }), 'STEP_UP_REQUIRED', details);
    expectRefusal(await call(session, 'DELETE', contacts(orgId, `/${id}`)), 'STEP_UP_REQUIRED', details);
  }
  const fresh = await actors.session({ principalId, passkeyAgeSeconds: 10 });
  expect((await contact(fresh, orgId, { email: 'bob@example.com' })).status).toBe(201);
  for (const role of ['admin', 'developer', 'billing', 'viewer']) {
    const { wallet: lower } = await member(orgId, role);
    expectRefusal(await contact(lower, orgId, { email: 'eve@example.com' }), 'NOT_AUTHORIZED', { reason: 'forbidden' });
  }
  expect((await list(wallet, orgId)).map(({ email }: { email: string }) => email)).toEqual([
    'ada@example.com',
    'bob@example.com',
  ]);
});

test.each<[string, object, string]>([
  ['no address', {}, 'email'],
  ['a text that is no address', { email: 'ada' }, 'email'],
  ['two addresses', { email: 'ada@example.com,eve@example.com' }, 'email'],
  ['an address with a line break', { email: 'ada@example.com\r\nBcc: eve@example.com' }, 'email'],
  ['an address with a letter that looks like another', { email: 'a\u0501a@example.com' }, 'email'],
  ['an address of 255 characters', { email: `${'a'.repeat(243)}@example.com` }, 'email'],
  ['level 0', { email: 'a@example.com', level: 0 }, 'level'],
  ['level 11', { email: 'a@example.com', level: 11 }, 'level'],
  ['half a level', { email: 'a@example.com', level: 1.5 }, 'level'],
  ['a level that is a text', { email: 'a@example.com', level: '1' }, 'level'],
  ['a name of 65 characters', { email: 'a@example.com', display_name: 'x'.repeat(65) }, 'display_name'],
  ['a name that shows nothing', { email: 'a@example.com', display_name: '\u2800' }, 'display_name'],
  ['a name of two lines', { email: 'a@example.com', display_name: 'a\nb' }, 'display_name'],
])('a contact with %s is refused', async (_case, body, field) => {
  const { wallet, orgId } = await service.owner();
  expectRefusal(await contact(wallet, orgId, body), 'VALIDATION_FAILED', { field });
  expect(await list(wallet, orgId)).toEqual([]);
});

test('contacts are added, listed and removed over GraphQL as over REST', async () => {
  const { wallet, orgId } = await service.owner();
  const add =
    'mutation ($in: AddEscalationContactInput!) { addEscalationContact(input: $in) { contactId email level displayName warnings } }';
  const added = await service.graphql(wallet, add, {
    in: { org: orgId, email: 'ada@example.com', level: 3, displayName: 'Ada' },
  });
  const { contactId } = added.data.addEscalationContact;
  const shown = { contactId, email: 'ada@example.com', level: 3, displayName: 'Ada' };
  expect(added.data.addEscalationContact).toMatchObject(shown);
  expect(await list(wallet, orgId)).toMatchObject([{ contact_id: contactId, email: 'ada@example.com', level: 3 }]);
  const listed =
    'query ($org: ID!) { escalationContacts(org: $org) { edges { node { contactId email level displayName } } } }';
  expect((await service.graphql(wallet, listed, { org: orgId })).data.escalationContacts.edges).toEqual([
    { node: shown },
  ]);
  const remove = 'mutation ($in: RemoveEscalationContactInput!) { removeEscalationContact(input: $in) { contactId } }';
  const gone = { in: { org: orgId, contact: contactId } };
  expect((await service.graphql(wallet, remove, gone)).data.removeEscalationContact).toEqual({ contactId });
  const again = await service.graphql(wallet, remove, gone);
  expect(again.errors![0]!.extensions.code).toBe('RESOURCE_NOT_FOUND');
  const refused = await service.graphql(wallet, add, { in: { org: orgId, email: 'ada@example.com', level: 0 } });
  expect(refused.errors![0]!.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'level' } });
});
