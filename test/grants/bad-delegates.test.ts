import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { delegatedProjects } from './own-delegates.ts';

// What is no delegate is refused by name, and leaves neither a delegate nor a principal behind.

const service = await sharedService();
afterAll(() => service.stop());
const { control } = service;

const home = await delegatedProjects(service)('deploy');
const elsewhere = await delegatedProjects(service)('deploy');
const { make, projectId, wallet, grantId } = home;

const counts = () =>
  control.sql('select (select count(*) from delegates) as delegates, (select count(*) from principals) as principals');

const deploy = { v: 1, capabilities: ['deploy'] };

test.each<[string, unknown, string]>([
  ['none', undefined, 'must be {v: 1'],
  ['null', null, 'must be {v: 1'],
  ['a text', '{"v":1,"capabilities":["deploy"]}', 'must be {v: 1'],
  ['a list', [deploy], 'must be {v: 1'],
  ['no version', { capabilities: ['deploy'] }, 'must be {v: 1'],
  ['version 2', { ...deploy, v: 2 }, 'must be {v: 1'],
  ['the version as a text', { ...deploy, v: '1' }, 'must be {v: 1'],
  ['a member nobody knows', { ...deploy, admin: true }, 'must be {v: 1'],
  ['capabilities as a text', { v: 1, capabilities: 'deploy' }, 'must be {v: 1'],
  ['a number as capability', { v: 1, capabilities: [1] }, 'must be {v: 1'],
  ['no capabilities', { v: 1, capabilities: [] }, 'must name a capability'],
  [
    'another capability than the grant’s',
    { v: 1, capabilities: ['read'] },
    'names a capability that the grant has not',
  ],
  ['one capability more', { v: 1, capabilities: ['deploy', 'secrets:read'] }, 'names a capability'],
  ['a capability nobody knows', { v: 1, capabilities: ['root'] }, 'names a capability'],
  ['a capability in capitals', { v: 1, capabilities: ['DEPLOY'] }, 'names a capability'],
  ['a look-alike capability', { v: 1, capabilities: ['d\u0435ploy'] }, 'names a capability'],
  ['a capability between blanks', { v: 1, capabilities: ['deploy '] }, 'names a capability'],
  ['no projects', { ...deploy, projects: [] }, 'must name a project'],
  ['another project', { ...deploy, projects: [elsewhere.projectId] }, 'names a project'],
  ['one project more', { ...deploy, projects: [projectId, elsewhere.projectId] }, 'names a project'],
  ['all projects', { ...deploy, projects: ['*'] }, 'names a project'],
  ['100,000 levels', `{"grant_id":"${grantId}","scope":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'must be {v: 1'],
])('a scope of %s is INVALID_DELEGATE_SCOPE', async (name, scope, reason) => {
  const before = await counts();
  const answer = name.includes('levels')
    ? await service.call(wallet, 'POST', home.path, { body: scope })
    : await make({ scope });
  expectRefusal(answer, 'INVALID_DELEGATE_SCOPE', {
    field: 'scope',
    reason: expect.stringContaining(reason),
    capabilities: ['deploy'],
    projects: [projectId],
  });
  expect(await counts()).toEqual(before);
});

test('a capability named twice is kept once, and reading has two spellings', async () => {
  const { make: makeReader, list } = await delegatedProjects(service)('read');
  const scope = { v: 1, capabilities: ['project.read', 'project.read', 'read'] };
  expect((await makeReader({ scope })).status).toBe(201);
  expect((await list())[0].scope).toEqual({ v: 1, capabilities: ['project.read', 'read'] });
});

const cap = { v: 1, currency: 'usd_micros', per_tx: 1 };

test.each<[string, object, string, string]>([
  ['no grant', { grant_id: undefined }, 'grant_id', 'is required'],
  ['a grant id of 65 characters', { grant_id: 'x'.repeat(65) }, 'grant_id', 'at most 64'],
  ['a kind nobody knows', { kind: 'root' }, 'kind', 'must be one of svc_agent_key'],
  ['an end that is over', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'must be in the future'],
  ['an end without a zone', { expires_at: '2099-01-01T00:00:00' }, 'expires_at', 'must be a moment'],
  ['a cap that is a number', { spend_cap: 5 }, 'spend_cap', 'must be an object'],
  ['a cap without a version', { spend_cap: { ...cap, v: undefined } }, 'spend_cap.v', 'must be 1'],
  ['a cap of version 2', { spend_cap: { ...cap, v: 2 } }, 'spend_cap.v', 'must be 1'],
  ['a cap in dollars', { spend_cap: { ...cap, currency: 'usd' } }, 'spend_cap.currency', 'must be `usd_micros`'],
  ['a cap that limits nothing', { spend_cap: { ...cap, per_tx: undefined } }, 'spend_cap', 'must limit something'],
  ['a cap below zero', { spend_cap: { ...cap, per_tx: -1 } }, 'spend_cap.per_tx', 'at least 0'],
  ['a cap of half a micro-dollar', { spend_cap: { ...cap, per_tx: 0.5 } }, 'spend_cap.per_tx', 'whole number'],
  ['a cap beyond exactness', { spend_cap: { ...cap, per_tx: 2 ** 53 } }, 'spend_cap.per_tx', ''],
  ['a cap as a text', { spend_cap: { ...cap, per_tx: '5' } }, 'spend_cap.per_tx', 'must be a number'],
  ['a period without an amount', { spend_cap: { ...cap, period: 'day' } }, 'spend_cap.period', 'goes with'],
  ['an amount without a period', { spend_cap: { ...cap, per_period: 1 } }, 'spend_cap.period', 'goes with'],
  [
    'a period of a year',
    { spend_cap: { ...cap, period: 'year', per_period: 1 } },
    'spend_cap.period',
    'must be one of',
  ],
  [
    'a cap with a member nobody knows',
    { spend_cap: { ...cap, per_year: 1 } },
    'spend_cap.per_year',
    'is not known here',
  ],
  ['a subject for an agent’s key', { public_subject: 'x' }, 'public_subject', 'does not go with'],
  ['a build without a subject', { kind: 'ci_oidc' }, 'public_subject', 'is required for'],
  ['a build with an empty subject', { kind: 'ci_oidc', public_subject: '' }, 'public_subject', 'must show something'],
  ['a subject of blanks', { kind: 'ci_oidc', public_subject: ' \u3164' }, 'public_subject', 'must show something'],
  [
    'a subject of 256 characters',
    { kind: 'ci_oidc', public_subject: 'x'.repeat(256) },
    'public_subject',
    'at most 255',
  ],
  ['a subject of two lines', { kind: 'ci_oidc', public_subject: 'a\nb' }, 'public_subject', 'control characters'],
  ['an unseen subject', { kind: 'ci_oidc', public_subject: 'repo:a\u202eb' }, 'public_subject', 'format characters'],
  ['an access key without an address', { kind: 'tempo_access_key' }, 'public_subject', 'is required for'],
  [
    'an account that is none',
    { kind: 'base_disposable_eoa', public_subject: '0x1' },
    'public_subject',
    'wallet address',
  ],
])('%s is refused', async (_case, more, field, reason) => {
  const before = await counts();
  expectRefusal(await make(more), 'VALIDATION_FAILED', { field, reason: expect.stringContaining(reason) });
  expect(await counts()).toEqual(before);
});

test('a delegation on chain is not offered yet', async () => {
  const before = await counts();
  expectRefusal(await make({ kind: 'erc7710' }), 'NOT_IMPLEMENTED', { reason: 'erc7710' });
  expect(await counts()).toEqual(before);
});

test.each(['x', crypto.randomUUID(), elsewhere.grantId])('%s is no grant of this project', async (grant_id) => {
  expectRefusal(await make({ grant_id }), 'GRANT_NOT_FOUND');
});

test('a grant that is over or revoked is none', async () => {
  const expired = await delegatedProjects(service)('read');
  await control.sql('update project_grants set expires_at = now() where id = $1', [expired.grantId]);
  expectRefusal(await expired.make(), 'GRANT_NOT_FOUND');
  const revoked = await delegatedProjects(service)('read');
  await revoked.revokeGrant();
  expectRefusal(await revoked.make(), 'GRANT_NOT_FOUND');
});

test('a delegate of another project is none of this one', async () => {
  const { delegate_id, token } = (await elsewhere.make()).body;
  expectRefusal(await home.rotate(delegate_id), 'DELEGATE_NOT_FOUND');
  expectRefusal(await home.revoke(delegate_id), 'DELEGATE_NOT_FOUND');
  const me = await service.call(service.actors.bearer(token), 'GET', '/agent/v1/whoami');
  expect(me.status).toBe(200);
});

test('GraphQL refuses the same', async () => {
  const create = 'mutation ($in: CreateDelegateInput!) { createDelegate(input: $in) { token } }';
  const base = { project: projectId, grant: grantId, scope: { capabilities: ['DEPLOY'] } };
  const before = await counts();
  for (const [more, code] of [
    [{ scope: { capabilities: ['READ'] } }, 'INVALID_DELEGATE_SCOPE'],
    [{ scope: { capabilities: [] } }, 'INVALID_DELEGATE_SCOPE'],
    [{ scope: { capabilities: ['DEPLOY'], projects: ['prj_1'] } }, 'INVALID_DELEGATE_SCOPE'],
    [{ grant: 'x' }, 'GRANT_NOT_FOUND'],
    [{ kind: 'ERC7710' }, 'NOT_IMPLEMENTED'],
    [{ kind: 'CI_OIDC' }, 'VALIDATION_FAILED'],
    [{ spendCap: {} }, 'VALIDATION_FAILED'],
    [{ spendCap: { perTx: 0.5 } }, 'VALIDATION_FAILED'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'VALIDATION_FAILED'],
  ] as const) {
    const { errors } = await service.graphql(wallet, create, { in: { ...base, ...more } });
    expect([more, errors?.[0]?.extensions.code]).toEqual([more, code]);
  }
  expect(await counts()).toEqual(before);
});
