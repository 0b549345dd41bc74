import { afterAll, expect, test } from 'vitest';
import { withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { deploying, filesOf, refOf, siteOf } from './deploying.ts';

const service = await startService();
afterAll(() => service.stop());

async function fresh() {
  const home = await service.project();
  return { ...home, mine: deploying(service, home.wallet, home) };
}

test('a preview keeps nothing', async () => {
  const { mine, projectId } = await fresh();
  const { status, body } = await mine.plan(siteOf({ 'a.txt': 'a' }), {}, '?dry_run=true');
  expect([status, body.plan_id, body.operation_id, body.summary]).toEqual([200, null, null, '1 site path added']);
  expect(await service.control.sql('select 1 from deploy_plans where project_id = $1', [projectId])).toEqual([]);
});

test('a plan tells all that clients check', async () => {
  const { mine } = await fresh();
  const { status, body } = await mine.plan({ ...siteOf({ 'index.html': 'a' }), secrets: { require: ['KEY'] } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    kind: 'plan_response',
    schema_version: 'agent-deploy-observability.v1',
    plan_id: expect.stringMatching(/^plan_/),
    operation_id: expect.stringMatching(/^op_/),
    base_release_id: null,
    is_noop: false,
    missing_content: [{ ...refOf('a'), present: false }],
    payment_required: null,
    site: {
      added: [{ path: 'index.html', sha256: refOf('a').sha256, content_type: 'text/html; charset=utf-8' }],
      removed: [],
      changed: [],
    },
    secrets: { added: ['KEY'], removed: [] },
    cost: { storage_bytes_added: 1 },
  });
  expect(body.warnings.map(({ code }: { code: string }) => code)).toEqual(['FIRST_DEPLOY', 'MISSING_REQUIRED_SECRET']);
});

test('the same deploy is planned once while it may be committed, and after it is live it is none', async () => {
  const { mine } = await fresh();
  const slices = siteOf({ 'a.txt': 'a' });
  const first = await mine.plan(slices);
  expect((await mine.plan(slices)).body).toMatchObject({
    plan_id: first.body.plan_id,
    operation_id: first.body.operation_id,
  });
  expect((await mine.plan(slices, { idempotency_key: 'other' })).body.plan_id).not.toBe(first.body.plan_id);
  await mine.upload('a');
  await mine.ended((await mine.commit(first.body.plan_id)).body.operation_id);
  expect((await mine.plan(slices)).body).toMatchObject({ is_noop: true });
});

test('a deploy of what was live before is a deploy', async () => {
  const { mine } = await fresh();
  const [a, b] = [siteOf({ 'a.txt': 'a' }), siteOf({ 'a.txt': 'b' })];
  await mine.upload('a', 'b');
  const first = await mine.deploy(a);
  await mine.deploy(b);
  const third = await mine.deploy(a);
  expect(third).toMatchObject({ status: 'ready' });
  expect(third.operation_id).not.toBe(first.operation_id);
  expect(third.release_generation).toBe(3);
});

test('a commit is made once, and one that changes nothing makes no release', async () => {
  const { mine } = await fresh();
  await mine.upload('a');
  const planned = await mine.plan(siteOf({ 'a.txt': 'a' }));
  const [one, two] = await Promise.all([mine.commit(planned.body.plan_id), mine.commit(planned.body.plan_id)]);
  expect(one.body.operation_id).toBe(two.body.operation_id);
  const done = await mine.ended(one.body.operation_id);
  expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({
    status: 'ready',
    release_id: done.release_id,
    next_actions: [{ type: 'poll' }],
  });
  const again = await mine.deploy({ site: { patch: { put: filesOf({ 'a.txt': 'a' }) } } });
  expect(again).toMatchObject({ status: 'ready', release_id: done.release_id, release_generation: 1 });
});

test('what is missing keeps a deploy from beginning', async () => {
  const { mine, serviceKey, projectId } = await fresh();
  const commit = async (slices: object) => mine.commit((await mine.plan(slices)).body.plan_id);
  const missing = await commit(siteOf({ 'a.txt': 'never uploaded' }));
  expect([missing.status, missing.body.code, missing.body.details.missing]).toEqual([
    409,
    'CONTENT_MISSING',
    [refOf('never uploaded').sha256],
  ]);
  const unset = await commit({ secrets: { require: ['A_KEY'] } });
  expect([unset.status, unset.body.code, unset.body.details.keys]).toEqual([409, 'MISSING_REQUIRED_SECRET', ['A_KEY']]);
  expect((await commit({ secrets: { delete: ['A_KEY'] } })).body.code).toBe('SECRET_NOT_FOUND');
  const prune = { assets: { sync: { prefix: 'old/', prune: true } }, i18n: null };
  expect(await commit(prune)).toMatchObject({ status: 409, body: { code: 'PRUNE_CONFIRMATION_REQUIRED' } });
  const set = await service.call(
    withHeaders({ authorization: `Bearer ${serviceKey}` }),
    'POST',
    `/projects/v1/admin/${projectId}/secrets`,
    { body: { key: 'A_KEY', value: 'x' } },
  );
  expect(set.status).toBe(200);
  expect(await mine.deploy({ secrets: { require: ['A_KEY'] } })).toMatchObject({ status: 'ready' });
  expect(await mine.deploy({ secrets: { delete: ['A_KEY'] } })).toMatchObject({ status: 'ready' });
  expect((await mine.read('/apply/v1/releases/active')).body.secrets).toEqual({ keys: [] });
});

test('of two deploys from one release the later is refused, and may be planned again', async () => {
  const { mine } = await fresh();
  await mine.upload('a', 'b');
  const [one, two] = [await mine.plan(siteOf({ 'a.txt': 'a' })), await mine.plan(siteOf({ 'a.txt': 'b' }))];
  const first = await mine.commit(one.body.plan_id);
  const second = await mine.commit(two.body.plan_id);
  expect(second).toMatchObject({
    status: 409,
    body: { code: 'BASE_RELEASE_CONFLICT', retryable: true, safe_to_retry: true },
  });
  await mine.ended(first.body.operation_id);
  expect(await mine.commit(two.body.plan_id)).toMatchObject({ status: 409, body: { code: 'BASE_RELEASE_CONFLICT' } });
  expect(await mine.deploy(siteOf({ 'a.txt': 'b' }))).toMatchObject({ status: 'ready', release_generation: 2 });
});

test('a base is what it says', async () => {
  const { mine } = await fresh();
  const first = await mine.deploySite({ 'a.txt': 'a' });
  expect((await mine.plan({ base: { release: 'empty' }, ...siteOf({ 'a.txt': 'a' }) })).body.code).toBe(
    'BASE_RELEASE_CONFLICT',
  );
  const foreign = await mine.plan({ base: { release_id: 'rel_other' }, ...siteOf({ 'a.txt': 'a' }) });
  expect(foreign).toMatchObject({ status: 400, body: { code: 'INVALID_SPEC', resource: 'base.release_id' } });
  await mine.upload('b');
  const pinned = await mine.deploy({
    base: { release_id: first.release_id },
    site: { patch: { put: filesOf({ 'b.txt': 'b' }) } },
  });
  expect(pinned).toMatchObject({ status: 'ready', base_release_id: first.release_id });
});

test('only the plan that was approved of is applied', async () => {
  const { mine } = await fresh();
  await mine.deploySite({ 'a.txt': 'a' });
  await mine.upload('b');
  const slices = siteOf({ 'a.txt': 'b' });
  const reviewed = (await mine.plan(slices, { mode: 'reviewed_plan' })).body;
  expect(reviewed).toMatchObject({
    plan_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    plan_expires_at: expect.any(String),
    base_identity: expect.stringMatching(/^rel_/),
  });
  const required_plan = { plan_id: reviewed.plan_id, plan_fingerprint: reviewed.plan_fingerprint };
  const other = await mine.plan(siteOf({ 'a.txt': 'other' }), { required_plan });
  expect(other).toMatchObject({
    status: 409,
    body: { code: 'PLAN_APPROVAL_MISMATCH', details: { required_plan_id: reviewed.plan_id, changed: ['fingerprint'] } },
  });
  const same = await mine.plan(slices, { required_plan });
  expect(same.status).toBe(200);
  expect(await mine.ended((await mine.commit(same.body.plan_id, { required_plan })).body.operation_id)).toMatchObject({
    status: 'ready',
  });
  expect((await mine.commit(reviewed.plan_id)).body.code).toBe('BASE_RELEASE_CONFLICT');
});

test('a specification may be uploaded, and is then planned like any other', async () => {
  const { mine, projectId } = await fresh();
  const spec = JSON.stringify({ project_id: projectId, ...siteOf({ 'a.txt': 'a' }) });
  await mine.upload(spec, 'a');
  const manifest_ref = { sha256: refOf(spec).sha256, size: refOf(spec).size };
  const { body } = await mine.plan({}, { manifest_ref });
  expect(body.summary).toBe('1 site path added');
  expect(await mine.ended((await mine.commit(body.plan_id)).body.operation_id)).toMatchObject({ status: 'ready' });
  expect((await mine.plan({}, { manifest_ref }, '?dry_run=true')).body.code).toBe('PLAN_REQUIRES_INLINE_SPEC');
  expect((await mine.plan({}, { manifest_ref: { sha256: 'f'.repeat(64), size: 1 } })).body.code).toBe(
    'CONTENT_MISSING',
  );
  const long = { sha256: refOf(spec).sha256, size: 64 * 1024 * 1024 + 1 };
  expect((await mine.plan({}, { manifest_ref: long })).body).toMatchObject({
    code: 'INVALID_SPEC',
    resource: 'manifest_ref.size',
  });
});

test('an uploaded specification of a hundred thousand files is planned, too large as it is for a request', async () => {
  const { mine, projectId } = await fresh();
  const names = Array.from({ length: 100_000 }, (_, number) => `section-${number % 300}/page-${number}.html`);
  const page = refOf('page');
  const replace = Object.fromEntries(names.map((name) => [name, page]));
  const spec = JSON.stringify({ project_id: projectId, site: { replace } });
  expect(Buffer.byteLength(spec)).toBeGreaterThan(5 * 1024 * 1024);
  await mine.upload(spec, 'page');
  const { sha256, size } = refOf(spec);
  const { status, body } = await mine.plan({}, { manifest_ref: { sha256, size } });
  expect([status, body.summary]).toEqual([200, '100000 site paths added']);
  expect((await mine.plan({ site: { replace } })).status).toBe(413);
});

test('a file that browsers keep for ever does not change', async () => {
  const { mine } = await fresh();
  const name = 'app.0123abcd.js';
  await mine.deploySite({ [name]: 'one' });
  await mine.upload('two');
  const planned = await mine.plan(siteOf({ [name]: 'two' }));
  const { status, body } = await mine.commit(planned.body.plan_id);
  expect([status, body.code, body.details.paths]).toEqual([
    409,
    'STATIC_IMMUTABLE_PATH_CHANGED',
    [{ path: `/${name}`, previous_sha256: refOf('one').sha256, candidate_sha256: refOf('two').sha256 }],
  ]);
});

test('a release claims its subdomain and gives it up', async () => {
  const { mine } = await fresh();
  const { mine: theirs } = await fresh();
  const name = `shop-${Date.now().toString(36)}`;
  const first = await mine.deploy({ ...siteOf({ 'index.html': 'x' }), subdomains: { set: [name] } }, ['x']);
  expect(first).toMatchObject({ status: 'ready', urls: { site: expect.stringContaining(`//${name}.localhost`) } });
  const taken = await theirs.deploy({ subdomains: { set: [name] } });
  expect(taken).toMatchObject({ status: 'failed', error: { code: 'SUBDOMAIN_TAKEN' } });
  const last = await mine.deploy({ subdomains: { set: [] } });
  expect(last).toMatchObject({ status: 'ready', urls: { site: expect.stringMatching(/\/\/p-/) } });
});

test('only those of the project see its plans, deploys and releases', async () => {
  const { mine } = await fresh();
  const other = await fresh();
  const done = await mine.deploySite({ 'a.txt': 'a' });
  const planned = await mine.plan(siteOf({ 'a.txt': 'b' }));
  const stranger = withHeaders({ apikey: other.anonKey });
  for (const [method, path, code] of [
    ['GET', `/apply/v1/operations/${done.operation_id}`, 'OPERATION_NOT_FOUND'],
    ['GET', `/apply/v1/operations/${done.operation_id}/events`, 'OPERATION_NOT_FOUND'],
    ['GET', `/apply/v1/releases/${done.release_id}`, 'RELEASE_NOT_FOUND'],
    ['GET', '/apply/v1/operations/op_none', 'OPERATION_NOT_FOUND'],
  ] as const)
    expect((await mine.call(method, path, undefined, stranger)).body.code).toBe(code);
  const theirs = deploying(service, other.wallet, other);
  expect(await theirs.commit(planned.body.plan_id)).toMatchObject({ status: 404, body: { code: 'PLAN_NOT_FOUND' } });
  expect((await theirs.call('POST', `/apply/v1/operations/${done.operation_id}/resume`, {})).body.code).toBe(
    'OPERATION_NOT_FOUND',
  );
  expect(
    (await theirs.call('POST', `/apply/v1/releases/${done.release_id}/promote`, { project: other.projectId })).body
      .code,
  ).toBe('PROMOTE_TARGET_NOT_FOUND');
});

test('a promotion is refused where it is none, and asks where migrations stay', async () => {
  const { mine, projectId } = await fresh();
  const first = await mine.deploySite({ 'a.txt': 'a' });
  const promote = (release: string, more: object = {}) =>
    mine.call('POST', `/apply/v1/releases/${release}/promote`, { project: projectId, ...more });
  expect((await promote(first.release_id)).body.code).toBe('PROMOTE_NO_OP');
  const failed = await mine.deploy({ database: { migrations: [{ id: 'x', sql: 'select * from nowhere' }] } });
  expect((await promote(failed.target_release_id)).body.code).toBe('PROMOTE_RELEASE_NOT_READY');
  await mine.deploy({ database: { migrations: [{ id: 'm', sql: 'create table t (id int)' }] } });
  const asked = await promote(first.release_id);
  expect(asked).toMatchObject({
    status: 409,
    body: {
      code: 'PROMOTE_WARNING_REQUIRES_ACK',
      details: { warnings: [{ code: 'MIGRATIONS_NOT_REVERSIBLE', affected: ['m'] }] },
    },
  });
  const done = await promote(first.release_id, { allow_warning_codes: ['MIGRATIONS_NOT_REVERSIBLE'] });
  expect(done.body).toMatchObject({
    status: 'ok',
    diff: { migrations: { only_in_current: ['m'], only_in_target: [] } },
    warnings: [{ code: 'MIGRATIONS_NOT_REVERSIBLE' }],
  });
});

test('an activation is told as an event, behind the cursor that the commit gave', async () => {
  const { mine, wallet } = await fresh();
  await mine.upload('a');
  const planned = await mine.plan(siteOf({ 'a.txt': 'a' }));
  const committed = await mine.commit(planned.body.plan_id);
  const done = await mine.ended(committed.body.operation_id);
  const { path } = committed.body.next_actions[0];
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  const { body } = await service.call<any>(wallet, 'GET', path);
  expect(body.events).toMatchObject([
    {
      event_type: 'deploy_activated',
      payload: { release_id: done.release_id, operation_id: done.operation_id, previous_release_id: null },
    },
  ]);
});

test('what cannot be a specification is told by its path', async () => {
  const { mine, wallet } = await fresh();
  const { status, body } = await mine.plan({ site: { replace: { 'a.txt': { sha256: 'x', size: 1 } } } });
  expect([status, body.code, body.resource, body.phase]).toEqual([
    400,
    'INVALID_SPEC',
    'site.replace.a.txt.sha256',
    'plan',
  ]);
  expect((await mine.plan({})).body.code).toBe('MANIFEST_EMPTY');
  expect((await mine.call('POST', '/apply/v1/plans', { spec: { i18n: null } })).body).toMatchObject({
    code: 'INVALID_SPEC',
    resource: 'project_id',
  });
  const other = await service.project();
  expect(
    (
      await service.call<{ code: string }>(wallet, 'POST', '/apply/v1/plans', {
        body: { spec: { project_id: other.projectId, i18n: null } },
      })
    ).body.code,
  ).toBe('NOT_AUTHORIZED');
});

test('releases are compared', async () => {
  const { mine } = await fresh();
  const one = await mine.deploySite({ 'a.txt': 'a', 'b.txt': 'b' });
  const two = await mine.deploySite({ 'a.txt': 'other' });
  const diff = (from: string, to: string) => mine.read(`/apply/v1/releases/diff?from=${from}&to=${to}`);
  expect((await diff(one.release_id, 'active')).body).toMatchObject({
    kind: 'release_diff',
    to_release_id: two.release_id,
    summary: '1 site path changed, 1 site path removed',
    site: { removed: ['b.txt'], changed: [{ path: 'a.txt' }] },
  });
  expect((await diff('empty', one.release_id)).body.summary).toBe('2 site paths added');
  expect((await diff('active', 'active')).body).toMatchObject({
    is_noop: true,
    summary: 'No changes between releases (noop)',
  });
  expect((await diff('nope', 'active')).body.code).toBe('INVALID_SPEC');
  expect((await diff('rel_none', 'active')).body.code).toBe('RELEASE_NOT_FOUND');
  const empty = await fresh();
  expect(await empty.mine.read('/apply/v1/releases/diff?from=empty&to=active')).toMatchObject({
    status: 404,
    body: { code: 'NO_ACTIVE_RELEASE' },
  });
  expect((await empty.mine.read('/apply/v1/releases/active')).body).toMatchObject({
    release_id: null,
    status: null,
    site: { paths: [] },
  });
});
