import { afterAll, beforeAll, expect, test } from 'vitest';
import { signText } from '../../clients/cli/src/net/signing.ts';
import { signCiDelegation } from '../../clients/sdk/src/ci-delegation.ts';
import { deploying, refOf, siteOf } from '../deploys/deploying.ts';
import type { WalletActor } from '../helpers/actors.ts';
import { type Service, startService } from '../helpers/service.ts';
import { startCiProvider, type Workflow } from './ci-provider.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const audience = 'https://deploys.example.com';
const main = 'repo:acme/shop:ref:refs/heads/main';

let provider: Awaited<ReturnType<typeof startCiProvider>>;
let service: Service;
beforeAll(async () => {
  provider = await startCiProvider(audience);
  service = await startService({ env: { SVC_CI_ISSUER: provider.issuer, SVC_CI_AUDIENCE: audience } });
});
afterAll(async () => {
  await service?.stop();
  await provider?.stop();
});

type Given = Partial<Parameters<typeof signCiDelegation>[2]>;

/** A project, with what is done to its bindings. */
async function linking() {
  const home = await service.project();
  const wallet = home.wallet as WalletActor;
  const signed = (given: Given = {}, by = wallet) =>
    signCiDelegation(
      { address: by.checksumAddress, signMessage: async (text) => signText(by.privateKey, text) },
      service.url,
      { project: home.projectId, subjectMatch: main, issuer: provider.issuer, audience, ...given },
    );
  const post = (path: string, body: object = {}, as = home.wallet) =>
    service.call<Any>(as, 'POST', `/ci/v1${path}`, { body });
  const create = async (given: Given = {}, more: object = {}) => {
    const { project, ...body } = await signed(given);
    return post('/bindings', {
      project_id: project,
      provider: 'github-actions',
      allowed_actions: ['deploy'],
      ...body,
      ...more,
    });
  };
  const exchange = (token: string) =>
    service.call<Any>(service.actors.nobody, 'POST', '/ci/v1/token-exchange', {
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        project_id: home.projectId,
      },
    });
  const enter = async (workflow: Workflow = { subject: main }) => exchange(await provider.tokenOf(workflow));
  /** A workflow that may deploy. */
  const session = async () => {
    const { body } = await enter();
    return deploying(service, service.actors.bearer(body.access_token), home);
  };
  return { ...home, signed, post, create, exchange, enter, session };
}

test('a workflow deploys by the token that CI gave it, within the scopes that a wallet has signed', async () => {
  const one = await linking();
  const made = await one.create({ routeScopes: ['/docs/*'] });
  expect(made.status, made.text).toBe(201);
  expect(made.body).toMatchObject({
    id: expect.stringMatching(/^bnd_/),
    project_id: one.projectId,
    issuer: provider.issuer,
    subject_match: main,
    allowed_actions: ['deploy'],
    allowed_events: ['push', 'workflow_dispatch'],
    route_scopes: ['/docs/*'],
    asset_key_scopes: [],
    created_sig: { signer: (one.wallet as WalletActor).address, raw: expect.stringContaining('Allow CI workflows') },
    revoked_at: null,
    use_count: 0,
  });
  const entered = await one.enter();
  expect(entered.body).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
    scope: 'deploy',
  });
  const ci = deploying(service, service.actors.bearer(entered.body.access_token), one);
  const texts = { 'index.html': 'by CI' };
  const deployed = await ci.deploy(siteOf(texts), Object.values(texts));
  expect(deployed).toMatchObject({ status: 'ready' });
  const refused = async (slices: object, label: string) => {
    const { status, body } = await ci.plan(slices);
    expect([status, body.error], JSON.stringify(body)).toEqual([403, label]);
  };
  await refused({ secrets: { require: ['KEY'] } }, 'forbidden_spec_field');
  await refused({ subdomains: { add: ['shop'] } }, 'forbidden_spec_field');
  await refused({ base: { release: 'empty' }, ...siteOf(texts) }, 'forbidden_spec_field');
  const route = (pattern: string) => ({
    routes: { replace: [{ pattern, target: { type: 'static', file: 'index.html' } }] },
  });
  await refused(route('/admin'), 'CI_ROUTE_SCOPE_DENIED');
  expect((await ci.plan(route('/docs/start'))).status).toBe(200);
  const asset = {
    assets: {
      put: [
        {
          key: 'astro/one.js',
          sha256: refOf('x').sha256,
          size_bytes: 1,
          content_type: 'text/javascript',
          visibility: 'public',
          immutable: false,
        },
      ],
    },
  };
  await refused(asset, 'CI_ASSET_SCOPE_DENIED');
  const scoped = await one.post(`/bindings/${made.body.id}/asset-scopes`, { asset_key_scopes: ['astro/*'] });
  expect(scoped.body).toMatchObject({ asset_key_scopes: ['astro/*'] });
  expect((await ci.plan(asset)).body.error).not.toBe('CI_ASSET_SCOPE_DENIED');
  // What others have planned beyond it, it may not commit.
  const theirs = deploying(service, one.wallet, one);
  await theirs.upload('by CI');
  const planned = await theirs.plan(route('/admin'));
  expect(planned.status, planned.text).toBe(200);
  const committed = await ci.commit(planned.body.plan_id);
  expect([committed.status, committed.body.error]).toEqual([403, 'CI_ROUTE_SCOPE_DENIED']);
  // Nor anything else of the project.
  for (const [method, path, body] of [
    ['POST', `/projects/v1/admin/${one.projectId}/sql`, { sql: 'select 1' }],
    ['GET', `/projects/v1/admin/${one.projectId}/functions`, undefined],
    ['POST', `/apply/v1/releases/${deployed.release_id}/promote`, {}],
    ['GET', '/agent/v1/whoami', undefined],
    ['POST', `/ci/v1/bindings/${made.body.id}/revoke`, {}],
  ] as const)
    expect((await ci.call(method, path, body)).status, path).toBeGreaterThanOrEqual(400);
  const { body: read } = await service.call<Any>(one.wallet, 'GET', `/ci/v1/bindings/${made.body.id}`);
  expect(read).toMatchObject({ use_count: 1, last_used_at: expect.any(String) });
});

test('a revoked binding ends its sessions at once, and a token is refused with what is wrong', async () => {
  const one = await linking();
  const { body: made } = await one.create();
  const ci = await one.session();
  expect((await ci.plan(siteOf({ 'index.html': 'by CI' }))).status).toBe(200);
  const ended = async (workflow: Workflow, status: number, error: string) => {
    const answer = await one.enter(workflow);
    expect([answer.status, answer.body.error], answer.text).toEqual([status, error]);
  };
  await ended({ subject: main, event: 'pull_request' }, 403, 'event_not_allowed');
  await ended({ subject: 'repo:acme/shopping:ref:refs/heads/main' }, 403, 'access_denied');
  await ended({ subject: main, audience: 'https://elsewhere.example.com' }, 401, 'invalid_token');
  expect((await one.exchange('no token')).body).toMatchObject({ error: 'invalid_token' });
  const other = await linking();
  await ended({ subject: main }, 200, undefined as never);
  expect((await other.enter()).body).toMatchObject({ error: 'access_denied' });
  for (let time = 0; time < 2; time++) {
    const revoked = await one.post(`/bindings/${made.id}/revoke`);
    expect(revoked.body).toMatchObject({ revoked_at: expect.any(String) });
  }
  expect((await ci.plan(siteOf({ 'index.html': 'by CI' }))).status).toBe(401);
  await ended({ subject: main }, 403, 'binding_revoked');
  expect((await one.post(`/bindings/${made.id}/asset-scopes`, { asset_key_scopes: [] })).status).toBe(409);
  expect((await other.post(`/bindings/${made.id}/revoke`)).status).toBe(404);
  // By the number of the repository, and not by two at once.
  expect((await one.create({ githubRepositoryId: '42' })).status).toBe(201);
  await ended({ subject: main, repositoryId: '43' }, 403, 'repository_id_mismatch');
  expect((await one.create({ subjectMatch: 'repo:acme/shop:*' })).status).toBe(201);
  await ended({ subject: main }, 409, 'ambiguous_binding');
  await ended({ subject: 'repo:acme/shop:environment:production' }, 200, undefined as never);
});

test('a delegation that says otherwise, or is another’s, makes no binding', async () => {
  const one = await linking();
  const errorOf = async (answer: Promise<Any>) => {
    const { status, body } = await answer;
    return [status, body.error];
  };
  expect(await errorOf(one.create({}, { subject_match: 'repo:acme/*' }))).toEqual([
    400,
    'delegation_statement_mismatch',
  ]);
  expect(await errorOf(one.create({}, { nonce: 'f'.repeat(32) }))).toEqual([400, 'delegation_nonce_invalid']);
  expect(await errorOf(one.create({}, { signed_delegation: 'xxx' }))).toEqual([400, 'delegation_parse_failed']);
  for (const scopes of [['/*'], ['docs'], ['/a?b'], ['/a', '/a/'], ['/a*']])
    expect(await errorOf(one.create({ routeScopes: scopes }))).toEqual([400, 'invalid_route_scopes']);
  for (const subjectMatch of ['*', 'a*b', 'a**']) expect((await one.create({ subjectMatch })).status).toBe(400);
  const stranger = service.actors.wallet();
  const { project, ...body } = await one.signed({}, stranger);
  expect(await errorOf(one.post('/bindings', { project_id: project, ...body }))).toEqual([403, 'signer_mismatch']);
  const { project: same, ...first } = await one.signed();
  expect((await one.post('/bindings', { project_id: same, ...first })).status).toBe(201);
  expect(await errorOf(one.post('/bindings', { project_id: same, ...first }))).toEqual([409, 'nonce_replay']);
  expect(await errorOf(one.create())).toEqual([409, 'duplicate']);
  const { body: listed } = await service.call<Any>(one.wallet, 'GET', `/ci/v1/bindings?project=${one.projectId}`);
  expect(listed.bindings).toHaveLength(1);
});

test('a workflow cannot rehearse the plan that it has made', async () => {
  const one = await linking();
  expect((await one.create()).status).toBe(201);
  const workflow = await one.session();
  const { body: planned } = await workflow.plan({ database: { migrations: [{ id: '1', sql: 'create table t ()' }] } });
  expect(await workflow.call('POST', `/apply/v1/plans/${planned.plan_id}/rehearse`, {})).toMatchObject({
    status: 403,
    body: { code: 'REHEARSAL_CI_UNSUPPORTED' },
  });
});
