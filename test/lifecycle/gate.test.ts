import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService({ env: { SVC_LEASES: 'on' } });
afterAll(() => service.stop());
const call = documentedCalls(service);

/** A project of an organization whose lease ended so many days ago, moved on by the real job. */
async function lapsed(days: number, state: string) {
  const project = await service.project();
  const { orgId } = project;
  await service.control.sql(`update orgs set lease_expires_at = now() - make_interval(days => $2) where id = $1`, [
    orgId,
    days,
  ]);
  if (state === 'purged') {
    await service.control.sql(
      `update orgs set lifecycle_state = 'dormant', lifecycle_entered_at = now() - interval '7 days' where id = $1`,
      [orgId],
    );
  }
  await service.control.sql(`select graphile_worker.add_job('lifecycle', job_key => 'lifecycle')`);
  await until(async () =>
    expect(await service.control.sql('select lifecycle_state from orgs where id = $1', [orgId])).toEqual([
      { lifecycle_state: state },
    ]),
  );
  return project;
}

const gated = [
  [15, 'frozen', 'PROJECT_FROZEN'],
  [45, 'dormant', 'PROJECT_DORMANT'],
] as const;

test.each(gated)(
  '%i days after its lease an organization is %s: changes are refused with the way back',
  async (days, state, code) => {
    const { wallet, orgId } = await lapsed(days, state);
    const key = randomUUID();
    const refused = await call(wallet, 'POST', '/projects/v1', {
      body: { org_id: orgId },
      headers: { 'idempotency-key': key },
    });
    expectRefusal(refused, code);
    const { entered_state_at, next_transition_at, scheduled_purge_at, ...rest } = refused.body;
    expect(rest).toMatchObject({
      lifecycle_state: state,
      next_actions: [
        { type: 'renew_tier', method: 'POST', path: '/tiers/v1/prototype' },
        { type: 'check_usage', method: 'GET', path: '/tiers/v1/status' },
      ],
    });
    expect([entered_state_at, next_transition_at, scheduled_purge_at]).toEqual([moment, moment, moment]);
    const ahead = (at: string) => Math.round((Date.parse(at) - Date.now()) / 86_400_000);
    expect([ahead(next_transition_at), ahead(scheduled_purge_at)]).toEqual([
      state === 'frozen' ? 44 - days : 104 - days,
      104 - days,
    ]);

    const graph = await service.graphql(wallet, `mutation { createProject(input: { org: "${orgId}" }) { id } }`);
    expect(graph.errors).toMatchObject([
      { extensions: { code, lifecycle_state: state, entered_state_at, next_transition_at, scheduled_purge_at } },
    ]);
    const slug = await call(wallet, 'POST', `/orgs/v1/${orgId}/slug`, {
      body: { slug: `s-${randomUUID().slice(0, 18)}` },
      headers: { 'idempotency-key': randomUUID() },
    });
    expectRefusal(slug, code);

    // A tier brings it back, and the very request that was refused goes through then.
    expect((await call(wallet, 'POST', '/tiers/v1/prototype', { body: { org_id: orgId } })).status).toBe(201);
    const again = await call(wallet, 'POST', '/projects/v1', {
      body: { org_id: orgId },
      headers: { 'idempotency-key': key },
    });
    expect(again.status).toBe(201);
  },
);

test.each(gated)(
  '%i days after its lease (%s) reads, rooms, feeds and money are never refused',
  async (days, state) => {
    const { wallet, orgId, projectId } = await lapsed(days, state);
    const room = `/orgs/v1/${orgId}/rooms/${projectId}`;
    const sent = await call(wallet, 'POST', `${room}/messages`, { body: { body: 'still here' } });
    expect(sent.status).toBe(201);
    expect((await call(wallet, 'POST', `${room}/presences`, { body: {} })).status).toBe(201);
    for (const path of [
      `/orgs/v1/${orgId}`,
      `/orgs/v1/${orgId}/members`,
      `/orgs/v1/${orgId}/billing`,
      `/orgs/v1/${orgId}/billing/history`,
      `/orgs/v1/${orgId}/rooms`,
      `${room}/messages?wait=1`,
      `${room}/messages/${sent.body.message_id}`,
      `/projects/v1?org_id=${orgId}`,
      `/projects/v1/${projectId}`,
      `/projects/v1/${projectId}/keys`,
      `/tiers/v1/status?org_id=${orgId}`,
    ]) {
      expect([path, (await call(wallet, 'GET', path)).status]).toEqual([path, 200]);
    }
    const graph = await service.graphql(
      wallet,
      `mutation { sendRoomMessage(input: { org: "${orgId}", room: "${projectId}", body: "here, too" }) { body } }`,
    );
    expect(graph).toEqual({ data: { sendRoomMessage: { body: 'here, too' } } });
    const status = (await call(wallet, 'GET', `/projects/v1/${projectId}`)).body;
    expect([status.status, status.organization_lifecycle_state]).toEqual([state, state]);
  },
);

test('past its lease an organization still changes what it likes', async () => {
  const { wallet, orgId } = await lapsed(1, 'past_due');
  expect((await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } })).status).toBe(201);
  const graph = await service.graphql(wallet, `mutation { createProject(input: { org: "${orgId}" }) { status } }`);
  expect(graph).toEqual({ data: { createProject: { status: 'PAST_DUE' } } });
});

test('a purged organization takes no changes and says no more than that', async () => {
  const { wallet, orgId } = await lapsed(105, 'purged');
  const refused = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  expectRefusal(refused, 'RESOURCE_NOT_FOUND');
  expect(refused.body).toMatchObject({ lifecycle_state: 'purged', next_transition_at: null });
});

test('of a purged organization no data is served by any door, and its members read that it is purged', async () => {
  const { wallet, orgId, projectId, anonKey, serviceKey } = await lapsed(105, 'purged');
  const { apikey, bearer } = service.actors;
  const base = `/projects/v1/admin/${projectId}`;
  const doors = [
    [apikey(anonKey), 'GET', '/rest/v1/notes', undefined],
    [apikey(serviceKey), 'GET', '/admin/v1/rest/notes', undefined],
    [apikey(anonKey), 'POST', `/projects/v1/${projectId}/graphql`, { query: '{ __typename }' }],
    [apikey(anonKey), 'GET', '/auth/v1/providers', undefined],
    [apikey(anonKey), 'POST', '/auth/v1/signup', { email: 'ada@example.com', password: 'correct horse battery' }],
    [apikey(anonKey), 'GET', `/live/v1?project_id=${projectId}&tables=notes`, undefined],
    [bearer(serviceKey), 'POST', `${base}/sql`, { sql: 'select 1' }],
    [bearer(serviceKey), 'GET', `${base}/schema`, undefined],
    [bearer(serviceKey), 'GET', `${base}/expose`, undefined],
    [wallet, 'POST', `${base}/sql`, { sql: 'select 1' }],
    [wallet, 'GET', `${base}/schema`, undefined],
    [wallet, 'GET', `${base}/expose`, undefined],
    [wallet, 'GET', `/projects/v1/${projectId}/keys`, undefined],
  ] as const;
  for (const [actor, method, path, body] of doors) {
    const answer = await service.call<{ code: string }>(actor, method, path, body === undefined ? {} : { body });
    const code = path.endsWith('/sql') ? 'RESOURCE_NOT_FOUND' : 'PROJECT_NOT_FOUND';
    expect([path, answer.status, answer.body.code]).toEqual([path, 404, code]);
  }
  const status = (await call(wallet, 'GET', '/tiers/v1/status')).body;
  expect([status.organization_lifecycle_state, status.active]).toEqual(['purged', false]);
  const project = (await call(wallet, 'GET', `/projects/v1/${projectId}`)).body;
  expect([project.status, project.organization_lifecycle_state]).toEqual(['deleted', 'purged']);
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}`)).body.org_id).toBe(orgId);
  const graph = await service.graphql(
    wallet,
    `{ organization(id: "${orgId}") { lifecycleState } project(id: "${projectId}") { status tables { name } } }`,
  );
  expect(graph.data).toEqual({
    organization: { lifecycleState: 'PURGED' },
    project: { status: 'DELETED', tables: null },
  });
  expect(graph.errors).toMatchObject([{ path: ['project', 'tables'], extensions: { code: 'PROJECT_NOT_FOUND' } }]);
});

test('a wallet whose own organization is frozen is told so when it names none', async () => {
  const wallet = service.actors.wallet();
  const { org_id: orgId } = (await call(wallet, 'POST', '/projects/v1', { body: {} })).body;
  await service.control.sql(
    `update orgs set lifecycle_state = 'frozen', lease_expires_at = now() - interval '15 days' where id = $1`,
    [orgId],
  );
  const headers = { 'idempotency-key': randomUUID() };
  expectRefusal(await call(wallet, 'POST', '/projects/v1', { body: {}, headers }), 'PROJECT_FROZEN');
  expect((await call(wallet, 'POST', '/tiers/v1/prototype')).status).toBe(201);
  expect((await call(wallet, 'POST', '/projects/v1', { body: {}, headers })).status).toBe(201);
});
