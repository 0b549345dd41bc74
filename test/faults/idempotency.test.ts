import { afterAll, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import type { WalletActor } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService();
afterAll(() => service.stop());
const { call, control, actors } = service;

const keyed = (key: string, body: unknown = {}) => ({ body, headers: { 'idempotency-key': key } });
const createOrg = (wallet: WalletActor, key: string, name = 'Kites') =>
  call<{ org_id: string }>(wallet, 'POST', '/orgs/v1', keyed(key, { display_name: name }));
const orgsOf = async (wallet: WalletActor) =>
  (await call<{ orgs: unknown[] }>(wallet, 'GET', '/orgs/v1')).body.orgs.length;
const raised = async (orgId: string, limits: object) =>
  expect((await call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits } })).status).toBe(200);

test('a repeated request gets the first answer, and another request under the key is refused', async () => {
  const wallet = actors.wallet();
  const first = await createOrg(wallet, 'key');
  const again = await createOrg(wallet, 'key');
  expect(first.status).toBe(201);
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  const other = await createOrg(wallet, 'key', 'Boats');
  expect(other.status).toBe(409);
  expect(other.body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', retryable: false });
  expect(await orgsOf(wallet)).toBe(1);
});

test('a key whose answer was sealed under a root secret that is gone is refused as used', async () => {
  const wallet = actors.wallet();
  await createOrg(wallet, 'sealed');
  await control.sql(
    `update idempotency_keys set outcome = set_byte(outcome, 40, 255 - get_byte(outcome, 40)) where key = 'sealed'`,
  );
  const again = await createOrg(wallet, 'sealed');
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', details: { reason: 'outcome_sealed' } });
  expect(await orgsOf(wallet)).toBe(1);
});

test('a request that spells the same input in another way is the same request', async () => {
  const { wallet, orgId } = await service.owner();
  const create = (body: string) =>
    call<{ project_id: string }>(wallet, 'POST', '/projects/v1', {
      body,
      headers: { 'idempotency-key': 'spelling', 'content-type': 'application/json' },
    });
  const first = await create(`{"name": "Kite", "org_id": "${orgId}"}`);
  const again = await create(`{ "org_id":"${orgId}",\n "name":"\\u004bite" }`);
  expect(again.body).toEqual(first.body);
  // Absent and null mean the same here.
  const nameless = await call(wallet, 'POST', '/orgs/v1', keyed('absent', {}));
  expect((await call(wallet, 'POST', '/orgs/v1', keyed('absent', { display_name: null }))).body).toEqual(nameless.body);
});

/** Repeats a request until it is no longer told that the first one is at work. */
async function persist<Body>(send: () => Promise<{ status: number; body: Body }>) {
  for (;;) {
    const answer = await send();
    if (answer.status !== 409) return answer;
    expect(answer.body).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true, safe_to_retry: true });
  }
}

test('of twenty requests at once under one key one does the work and all get its answer', async () => {
  const wallet = actors.wallet();
  const answers = await Promise.all(Array.from({ length: 20 }, () => persist(() => createOrg(wallet, 'at once'))));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.org_id}`)).size).toBe(1);
  expect(await orgsOf(wallet)).toBe(1);
  const audited = await control.sql('select 1 from audit_events where org_id = $1', [answers[0]!.body.org_id]);
  expect(audited).toHaveLength(1);
});

test('of twenty project creations at once under one key one makes a project and all get its keys', async () => {
  const { wallet, orgId } = await service.owner();
  const create = () => call<object>(wallet, 'POST', '/projects/v1', keyed('at once', { org_id: orgId }));
  const answers = await Promise.all(Array.from({ length: 20 }, () => persist(create)));
  expect(answers[0]!.status).toBe(201);
  for (const { status, body } of answers) expect([status, body]).toEqual([201, answers[0]!.body]);
  expect(await control.sql('select 1 from projects where org_id = $1', [orgId])).toHaveLength(1);
  expect(await control.sql('select 1 from step_operations where org_id = $1', [orgId])).toHaveLength(1);
});

test('what is stored for a replay shows neither the keys nor the name it holds', async () => {
  const { wallet, orgId } = await service.owner();
  const name = 'A conspicuous name';
  const { body } = await call<{ anon_key: string; service_key: string; project_id: string }>(
    wallet,
    'POST',
    '/projects/v1',
    keyed('sealed', { org_id: orgId, name }),
  );
  const [row] = await control.sql<{ outcome: Buffer }>(
    `select outcome from idempotency_keys where key = 'sealed' and operation = 'projects.create'`,
  );
  const { outcome } = row!;
  expect(outcome.length).toBeGreaterThan(body.anon_key.length + body.service_key.length);
  for (const secret of [body.anon_key, body.service_key, body.project_id, name]) {
    expect(outcome.includes(secret)).toBe(false);
    expect(outcome.includes(Buffer.from(secret, 'utf16le'))).toBe(false);
    expect(outcome.includes(Buffer.from(secret).toString('base64').slice(2, -4))).toBe(false);
  }
});

test('a refusal that repeating cannot heal is given again under its first trace id', async () => {
  const { wallet, orgId } = await service.owner();
  const room = `/orgs/v1/${orgId}/rooms/hall`;
  const refuse = () =>
    call<ErrorEnvelope>(wallet, 'POST', `${room}/messages`, keyed('to ada', { body: 'hello', to: ['Ada'] }));
  const first = await refuse();
  expect(first.body.code).toBe('UNKNOWN_RECIPIENT');
  // What the refusal was about has changed, the outcome of the key has not.
  await call(wallet, 'POST', `${room}/presences`, { body: { requested_name: 'Ada' } });
  const again = await refuse();
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  const other = keyed('to ada again', { body: 'hello', to: ['Ada'] });
  expect((await call(wallet, 'POST', `${room}/messages`, other)).status).toBe(201);
});

test('a quota that refused is no outcome: with room again, the same key makes what it is for', async () => {
  const wallet = actors.wallet();
  for (const key of ['1', '2', '3']) await createOrg(wallet, key);
  expect((await createOrg(wallet, '4')).status).toBe(429);
  await control.sql(`update orgs set tier = 'team' where created_by is not null`);
  const made = await createOrg(wallet, '4');
  expect(made.status).toBe(201);
  expect((await createOrg(wallet, '4')).body).toEqual(made.body);
});

test('a failure that repeating can heal frees the key', async () => {
  const { wallet, orgId } = await service.owner();
  const send = (key: string) =>
    call<ErrorEnvelope>(wallet, 'POST', `/orgs/v1/${orgId}/rooms/hall/messages`, keyed(key, { body: 'once' }));
  await send('warm up');
  await control.sql('alter table room_messages rename to away');
  const failed = await send('heals');
  await control.sql('alter table away rename to room_messages');
  expect(failed.body).toMatchObject({ code: 'INTERNAL_ERROR', retryable: true, mutation_state: 'unknown' });
  const healed = await send('heals');
  expect(healed.status).toBe(201);
  expect((await send('heals')).body).toEqual(healed.body);
});

test('keys belong to their caller', async () => {
  const [ada, bob] = [actors.wallet(), actors.wallet()];
  const [first, second] = [await createOrg(ada, 'shared'), await createOrg(bob, 'shared', 'Boats')];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body.org_id).not.toBe(first.body.org_id);
});

test.each([
  ['an empty key', ''],
  ['a key of 257 characters', 'k'.repeat(257)],
])('%s is refused and changes nothing', async (_case, key) => {
  const wallet = actors.wallet();
  const refused = await createOrg(wallet, key);
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ code: 'IDEMPOTENCY_KEY_INVALID' });
  expect(await orgsOf(wallet)).toBe(0);
});

test('a key of 256 characters is honoured', async () => {
  const wallet = actors.wallet();
  const first = await createOrg(wallet, 'k'.repeat(256));
  expect((await createOrg(wallet, 'k'.repeat(256))).body).toEqual(first.body);
});

const document = `mutation ($input: CreateOrganizationInput!) { createOrganization(input: $input) { orgId } }`;

test('REST, the header on GraphQL and the key of a GraphQL input reach one outcome', async () => {
  const wallet = actors.wallet();
  const { body } = await createOrg(wallet, 'everywhere');
  const byInput = { input: { displayName: 'Kites', idempotencyKey: 'everywhere' } };
  const expected = { data: { createOrganization: { orgId: body.org_id } } };
  expect(await service.graphql(wallet, document, byInput)).toEqual(expected);
  const byHeader = { input: { displayName: 'Kites' } };
  expect(await service.graphql(wallet, document, byHeader, { 'idempotency-key': 'everywhere' })).toEqual(expected);
  const reused = await service.graphql(wallet, document, {
    input: { displayName: 'Boats', idempotencyKey: 'everywhere' },
  });
  expect(reused.errors?.[0]?.extensions).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  expect(await orgsOf(wallet)).toBe(1);
});

test('two mutation fields under one header are refused, each with a key of its own they are honoured', async () => {
  const wallet = actors.wallet();
  const two = `mutation ($a: CreateOrganizationInput!, $b: CreateOrganizationInput!) {
    a: createOrganization(input: $a) { orgId } b: createOrganization(input: $b) { orgId } }`;
  const refused = await service.graphql(wallet, two, { a: {}, b: {} }, { 'idempotency-key': 'both' });
  expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'IDEMPOTENCY_KEY_INVALID' });
  expect(await orgsOf(wallet)).toBe(0);
  // A signature is good for one request, whatever the number of changes in it.
  const own = { a: { idempotencyKey: 'a' }, b: { idempotencyKey: 'b' } };
  const made = await service.graphql(wallet, two, own);
  expect(made.errors).toBeUndefined();
  expect(await service.graphql(wallet, two, own)).toEqual(made);
  expect(await orgsOf(wallet)).toBe(2);
});

test('a project made over GraphQL is replayed over REST with its keys', async () => {
  const { wallet, orgId } = await service.owner();
  const create = `mutation ($input: CreateProjectInput!) {
    createProject(input: $input) { projectId keys { anonKey serviceKey } } }`;
  const { data } = await service.graphql(wallet, create, { input: { org: orgId, idempotencyKey: 'mixed' } });
  const { body } = await call(wallet, 'POST', '/projects/v1', keyed('mixed', { org_id: orgId }));
  expect(body).toMatchObject({
    project_id: data.createProject.projectId,
    anon_key: data.createProject.keys.anonKey,
    service_key: data.createProject.keys.serviceKey,
  });
});

test('a request that comes while the first is at work is told to come back, and then gets its answer', async () => {
  const { wallet, orgId } = await service.owner();
  await raised(orgId, { projects: 5 });
  const create = () => call<ErrorEnvelope>(wallet, 'POST', '/projects/v1', keyed('slow', { org_id: orgId }));
  // The organization's row is locked by whoever counts its projects; here by somebody slow.
  const rowLock = await service.app.services.db.pool.connect();
  try {
    await rowLock.query('begin');
    await rowLock.query('select 1 from orgs where id = $1 for update', [orgId]);
    const first = create();
    await until(async () =>
      expect(await control.sql(`select 1 from idempotency_keys where key = 'slow'`)).toHaveLength(1),
    );
    // So does whoever is about to commit with its key's row: asking must not wait for that, connection in hand.
    await rowLock.query(`select 1 from idempotency_keys where key = 'slow' for update`);
    const second = await create();
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true });
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await rowLock.query('commit');
    const done = await first;
    expect(done.status).toBe(201);
    expect((await create()).body).toEqual(done.body);
  } finally {
    rowLock.release();
  }
});

test('a holder that was believed dead makes nothing once another request has its key', async () => {
  const { wallet, orgId } = await service.owner();
  await raised(orgId, { projects: 5 });
  const create = (name: string) =>
    call<ErrorEnvelope & { project_id: string }>(wallet, 'POST', '/orgs/v1', keyed('late', { display_name: name }));
  const before = await orgsOf(wallet);
  const rowLock = await service.app.services.db.pool.connect();
  try {
    await rowLock.query('begin');
    // Whoever makes an organization counts those of its owner first.
    await rowLock.query('lock table memberships in share row exclusive mode');
    const late = create('Kites');
    await until(async () =>
      expect(await control.sql(`select 1 from idempotency_keys where key = 'late'`)).toHaveLength(1),
    );
    await control.sql(`update idempotency_keys set lease_until = now() - interval '1 second' where key = 'late'`);
    const second = create('Kites');
    await until(async () =>
      expect(
        await control.sql(`select 1 from idempotency_keys where key = 'late' and lease_until > now()`),
      ).toHaveLength(1),
    );
    await rowLock.query('commit');
    const answers = await Promise.all([late, second]);
    expect(answers.map(({ status }) => status)).toEqual([409, 201]);
    expect(answers[0]!.body).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    expect((await create('Kites')).body).toEqual(answers[1]!.body);
    expect(await orgsOf(wallet)).toBe(before + 1);
  } finally {
    rowLock.release();
  }
});
