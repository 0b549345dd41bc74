import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const graphOrg = `{ id displayName slug tier lifecycleState leasePerpetual leaseStartedAt leaseExpiresAt role
  members { edges { node { principalId displayName role status wallet } } } }`;

test('a created organization is on the lowest tier for good, with its creator as owner', async () => {
  const wallet = service.actors.wallet();
  const created = await call(wallet, 'POST', '/orgs/v1', { body: { display_name: 'Ada’s lab' } });
  expect(created.status).toBe(201);
  expect(created.body).toStrictEqual({
    org_id: uuid,
    display_name: 'Ada’s lab',
    slug: null,
    tier: 'prototype',
    lease_started_at: moment,
    lease_expires_at: null,
  });

  const path = `/orgs/v1/${created.body.org_id}`;
  expect((await call(wallet, 'GET', path)).body).toStrictEqual({ ...created.body, role: 'owner' });
  const me = (await call(wallet, 'GET', '/agent/v1/whoami')).body.principal;
  expect((await call(wallet, 'GET', `${path}/members`)).body).toStrictEqual({
    members: [
      { principal_id: me.id, role: 'owner', status: 'active', wallet: wallet.address, display_name: me.display_name },
    ],
  });
  const membership = { org_id: created.body.org_id, display_name: 'Ada’s lab', role: 'owner', status: 'active' };
  expect((await call(wallet, 'GET', '/orgs/v1')).body).toStrictEqual({ orgs: [membership] });
});

test('GraphQL creates and shows the same organization as REST', async () => {
  const wallet = service.actors.wallet();
  const created = await service.graphql(
    wallet,
    `mutation ($input: CreateOrganizationInput!) { createOrganization(input: $input) ${graphOrg} }`,
    { input: { displayName: 'Graph' } },
  );
  const org = created.data.createOrganization;
  const orgId = org.id.replace('Organization_', '');
  const path = `/orgs/v1/${orgId}`;
  const rest = (await call(wallet, 'GET', path)).body;
  const members = (await call(wallet, 'GET', `${path}/members`)).body.members;
  expect(org).toEqual({
    id: `Organization_${rest.org_id}`,
    displayName: rest.display_name,
    slug: rest.slug,
    tier: 'PROTOTYPE',
    lifecycleState: 'ACTIVE',
    leasePerpetual: true,
    leaseStartedAt: rest.lease_started_at,
    leaseExpiresAt: null,
    role: 'OWNER',
    members: {
      edges: [
        {
          node: {
            principalId: members[0].principal_id,
            displayName: null,
            role: 'OWNER',
            status: 'ACTIVE',
            wallet: wallet.address,
          },
        },
      ],
    },
  });
  const ids = [orgId, org.id];
  for (const id of ids) {
    const found = await service.graphql(wallet, `query ($id: ID!) { organization(id: $id) ${graphOrg} }`, { id });
    expect(found).toEqual({ data: { organization: org } });
  }
  const listed = await service.graphql(wallet, '{ organizations { edges { node { id role } } } }');
  expect(listed.data.organizations.edges).toEqual([{ node: { id: org.id, role: 'OWNER' } }]);
});

test.each<[string, unknown]>([
  ['an absent body', undefined],
  ['an empty object', {}],
  ['null', { display_name: null }],
  ['an empty name', { display_name: '' }],
  ['a blank name', { display_name: '  ' }],
])('%s makes an organization without a name', async (_case, body) => {
  const created = await call(service.actors.wallet(), 'POST', '/orgs/v1', { body });
  expect(created).toMatchObject({ status: 201, body: { display_name: null } });
});

test('a name is kept in NFC and counted in characters after that', async () => {
  const decomposed = 'e\u0301'.repeat(100);
  const wallet = service.actors.wallet();
  const long = await call(wallet, 'POST', '/orgs/v1', { body: { display_name: decomposed } });
  expect(long).toMatchObject({ status: 201, body: { display_name: '\u00e9'.repeat(100) } });
  const faces = await call(wallet, 'POST', '/orgs/v1', { body: { display_name: '🦊'.repeat(100) } });
  expect(faces.status).toBe(201);
});

test.each<[string, unknown, string]>([
  ['a field it does not know', { display_name: 'x', tier: 'team' }, 'tier'],
  ['a name of 101 characters', { display_name: 'x'.repeat(101) }, 'display_name'],
  ['a line break in the name', { display_name: 'a\nb' }, 'display_name'],
  ['a NUL in the name', { display_name: 'a\0b' }, 'display_name'],
  ['a lone surrogate in the name', '{"display_name":"a\\ud800b"}', 'display_name'],
  ['a name that is a number', { display_name: 7 }, 'display_name'],
])('%s is refused by name and nothing is made', async (_case, body, field) => {
  const wallet = service.actors.wallet();
  expectRefusal(await call(wallet, 'POST', '/orgs/v1', { body }), 'VALIDATION_FAILED', { field });
  expect((await call(wallet, 'GET', '/orgs/v1')).body).toEqual({ orgs: [] });
});

test('an organization id that is no UUID is 400, one that is nobody’s is 403', async () => {
  const { wallet } = await service.owner();
  for (const path of ['', '/members', '/rooms']) {
    expectRefusal(await call(wallet, 'GET', `/orgs/v1/not-a-uuid${path}`), 'VALIDATION_FAILED', { field: 'org_id' });
    expectRefusal(await call(wallet, 'GET', `/orgs/v1/${randomUUID()}${path}`), 'NOT_AUTHORIZED', { reason: 'member' });
  }
  const { orgId } = await service.owner('upper');
  expectRefusal(await call(wallet, 'GET', `/orgs/v1/${orgId}`), 'NOT_AUTHORIZED', { reason: 'member' });
});

test('the letter case of an organization id does not matter', async () => {
  const { wallet, orgId } = await service.owner();
  const found = await call(wallet, 'GET', `/orgs/v1/${orgId.toUpperCase()}`);
  expect(found).toMatchObject({ status: 200, body: { org_id: orgId } });
});

test('only active memberships are listed, and only they open an organization', async () => {
  const { orgId } = await service.owner();
  for (const status of ['invited', 'suspended', 'revoked']) {
    const session = await service.actors.session();
    await service.actors.member(orgId, session.principalId, 'admin', status);
    expect((await call(session, 'GET', '/orgs/v1')).body).toEqual({ orgs: [] });
    expectRefusal(await call(session, 'GET', `/orgs/v1/${orgId}`), 'NOT_AUTHORIZED', { reason: 'member' });
    await service.actors.member(orgId, session.principalId, 'viewer');
    expect((await call(session, 'GET', '/orgs/v1')).body.orgs).toHaveLength(1);
    expect((await call(session, 'GET', `/orgs/v1/${orgId}`)).body.role).toBe('viewer');
  }
});

test('members are listed oldest first with null for what they do not have, revoked ones left out', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  const ids: string[] = [];
  for (const [role, status] of [
    ['admin', 'active'],
    ['viewer', 'invited'],
    ['billing', 'suspended'],
    ['developer', 'revoked'],
  ] as const) {
    const session = await service.actors.session();
    await service.actors.member(orgId, session.principalId, role, status);
    ids.push(session.principalId);
    // Two that joined in one millisecond are in no order that a test could know.
    await service.control.sql(
      `update memberships set created_at = now() + make_interval(secs => $2) where principal_id = $1`,
      [session.principalId, ids.length],
    );
  }
  const { members } = (await call(wallet, 'GET', `/orgs/v1/${orgId}/members`)).body;
  expect(members).toEqual([
    { principal_id: principalId, role: 'owner', status: 'active', wallet: wallet.address, display_name: null },
    { principal_id: ids[0], role: 'admin', status: 'active', wallet: null, display_name: null },
    { principal_id: ids[1], role: 'viewer', status: 'invited', wallet: null, display_name: null },
    { principal_id: ids[2], role: 'billing', status: 'suspended', wallet: null, display_name: null },
  ]);
});

test('the platform admin sees an organization with no role in it, and an absent one as absent', async () => {
  const { orgId } = await service.owner();
  const { admin } = service.actors;
  expect((await call(admin, 'GET', `/orgs/v1/${orgId}`)).body.role).toBeNull();
  expect((await call(admin, 'GET', `/orgs/v1/${orgId}/members`)).body.members).toHaveLength(1);
  expectRefusal(await call(admin, 'GET', `/orgs/v1/${randomUUID()}`), 'RESOURCE_NOT_FOUND');
});

test('without a credential nothing is answered but where to get one', async () => {
  for (const [method, path] of [
    ['POST', '/orgs/v1'],
    ['GET', '/orgs/v1'],
    ['GET', `/orgs/v1/${randomUUID()}`],
    ['GET', `/orgs/v1/${randomUUID()}/members`],
  ] as const) {
    const answer = await call(service.actors.nobody, method, path);
    expectRefusal(answer, 'AUTH_REQUIRED');
    expect((answer.body as { next_actions: unknown[] }).next_actions).toEqual([
      expect.objectContaining({ type: 'authenticate', auth: 'SIWX' }),
    ]);
  }
});
