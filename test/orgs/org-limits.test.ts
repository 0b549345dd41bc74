import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { limitNames, tierLimits } from '../../kernel/limits/limits.ts';
import type { Limits } from '../../kernel/limits/tier-limits.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

test('twenty callers who race make three free organizations, and the rest learn the limit', async () => {
  const wallet = service.actors.wallet();
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(wallet, 'POST', '/orgs/v1', { body: {} })));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(17);
  for (const answer of refused) expectRefusal(answer, 'FREE_ORG_OWNER_LIMIT_EXCEEDED', { limit: 3, owned: 3 });
  expect((await call(wallet, 'GET', '/orgs/v1')).body.orgs).toHaveLength(3);
  const audited = await service.control.sql(
    `select 1 from audit_events where action = 'org.created' and actor->'authenticator'->>'public_subject' = $1`,
    [wallet.address],
  );
  expect(audited).toHaveLength(3);
});

test('organizations that are not free, and those made by others, do not count', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  await service.control.sql(`update orgs set tier = 'team' where id = $1`, [orgId]);
  const { orgId: foreign } = await service.owner();
  await service.actors.member(foreign, principalId, 'owner');
  for (let made = 0; made < 3; made++) expect((await call(wallet, 'POST', '/orgs/v1')).status).toBe(201);
  expectRefusal(await call(wallet, 'POST', '/orgs/v1'), 'FREE_ORG_OWNER_LIMIT_EXCEEDED', { limit: 3, owned: 3 });
});

const wireOf = (limits: Limits) => ({
  reads_per_second: limits.readsPerSecond,
  reads_burst: limits.readsBurst,
  writes_per_second: limits.writesPerSecond,
  writes_burst: limits.writesBurst,
  projects: limits.projects,
  members: limits.members,
  grants_per_project: limits.grantsPerProject,
  delegates_per_project: limits.delegatesPerProject,
  live_connections_per_project: limits.liveConnectionsPerProject,
  api_calls: limits.apiCalls,
  storage_bytes: limits.storageBytes,
  secrets: limits.secrets,
  messages_per_day: limits.messagesPerDay,
  events_per_day: limits.eventsPerDay,
  emails_per_day: limits.emailsPerDay,
  mail_recipients: limits.mailRecipients,
});

test('the platform admin sets limits of one organization, and null puts the tier’s back', async () => {
  const { orgId } = await service.owner();
  const path = `/orgs/v1/admin/${orgId}/limits`;
  const set = await call(admin, 'POST', path, { body: { limits: { projects: 2, api_calls: 7 } } });
  const own = wireOf(tierLimits.prototype);
  expect(set.body).toStrictEqual({
    org_id: orgId,
    limits: { ...own, projects: 2, api_calls: 7 },
    overrides: { projects: 2, api_calls: 7 },
  });
  const reset = await call(admin, 'POST', path, { body: { limits: { api_calls: null } } });
  expect(reset.body).toStrictEqual({ org_id: orgId, limits: { ...own, projects: 2 }, overrides: { projects: 2 } });
  const [event] = await service.control.sql(
    `select actor->'authority' as authority, details from audit_events where org_id = $1 and action = 'org.limits_set'
     order by seq limit 1`,
    [orgId],
  );
  expect(event).toEqual({
    authority: { kind: 'system', reason_code: 'platform_admin' },
    details: { limits: { projects: 2, api_calls: 7 } },
  });
});

test('limits over GraphQL are the limits over REST', async () => {
  const { wallet, orgId } = await service.owner();
  const names = limitNames.join(' ');
  const set = await service.graphql(
    admin,
    `mutation ($input: SetOrganizationLimitsInput!) { setOrganizationLimits(input: $input) { id limits { ${names} } } }`,
    { input: { org: orgId, limits: [{ name: 'projects', value: 5 }, { name: 'readsBurst' }] } },
  );
  const limits = { ...tierLimits.prototype, projects: 5 };
  expect(set.data.setOrganizationLimits).toEqual({ id: `Organization_${orgId}`, limits });
  const seen = await service.graphql(wallet, `query ($id: ID!) { organization(id: $id) { limits { ${names} } } }`, {
    id: orgId,
  });
  expect(seen.data.organization.limits).toEqual(limits);
});

test('nobody but the platform admin bends a limit', async () => {
  const { wallet, orgId } = await service.owner();
  const path = `/orgs/v1/admin/${orgId}/limits`;
  const body = { limits: { projects: 1_000 } };
  expectRefusal(await call(wallet, 'POST', path, { body }), 'ADMIN_REQUIRED');
  expectRefusal(await call(service.actors.nobody, 'POST', path, { body }), 'AUTH_REQUIRED');
  expect(await service.control.sql('select limit_overrides from orgs where id = $1', [orgId])).toEqual([
    { limit_overrides: {} },
  ]);
});

test.each<[string, unknown]>([
  ['a limit it does not know', { limits: { bananas: 1 } }],
  ['a limit as GraphQL spells it', { limits: { readsPerSecond: 1 } }],
  ['a limit below zero', { limits: { projects: -1 } }],
  ['a limit that is no whole number', { limits: { projects: 1.5 } }],
  ['a limit that is a text', { limits: { projects: '5' } }],
  ['no limits', {}],
  ['a list', { limits: [] }],
])('%s is refused', async (_case, body) => {
  const { orgId } = await service.owner();
  expectRefusal(await call(admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body }), 'VALIDATION_FAILED');
});

test('limits of an organization that is not there are 404 for the admin', async () => {
  const body = { limits: { projects: 1 } };
  expectRefusal(await call(admin, 'POST', `/orgs/v1/admin/${randomUUID()}/limits`, { body }), 'RESOURCE_NOT_FOUND');
});

test('a limit that is not known is refused by name over both surfaces, each with its own spelling', async () => {
  const { orgId } = await service.owner();
  const rest = await call(admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits: { readsBurst: 1 } } });
  expectRefusal(rest, 'VALIDATION_FAILED', { field: 'limits.readsBurst', reason: 'is not known here' });
  const set = 'mutation ($input: SetOrganizationLimitsInput!) { setOrganizationLimits(input: $input) { id } }';
  for (const name of ['reads_burst', 'bananas']) {
    const graph = await service.graphql(admin, set, { input: { org: orgId, limits: [{ name, value: 1 }] } });
    expect(graph.errors![0]!.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { field: 'input.limits.0.name', reason: expect.stringMatching(/^must be one of readsPerSecond, /) },
    });
  }
  expect(await service.control.sql('select limit_overrides from orgs where id = $1', [orgId])).toEqual([
    { limit_overrides: {} },
  ]);
});

test('every limit can be set, and bounds what it names', async () => {
  const { orgId } = await service.owner();
  const limits = Object.fromEntries(limitNames.map((name, index) => [name, index + 1])) as unknown as Limits;
  const set = await call(admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits: wireOf(limits) } });
  expect(set.body.limits).toStrictEqual(wireOf(limits));
  const names = limitNames.join(' ');
  const seen = await service.graphql(admin, `query ($id: ID!) { organization(id: $id) { limits { ${names} } } }`, {
    id: orgId,
  });
  expect(seen.data.organization.limits).toEqual(limits);
});
