import { afterAll, afterEach, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { feedsOf } from './feed.ts';

const service = await sharedService();
afterAll(() => service.stop());
const feed = feedsOf(service);
const call = documentedCalls(service);
const { actors, control } = service;
const { admin } = actors;

const facts = { subsystem: 'database', severity: 'major', scope: 'global', summary: 'Some databases are slow.' };
const declare = (more: object = {}) => call(admin, 'POST', '/admin/v1/incidents', { body: { ...facts, ...more } });
const resolve = (id: string) => call(admin, 'POST', `/admin/v1/incidents/${id}/resolve`);

afterEach(async () => {
  for (const { id } of await control.sql<{ id: string }>('select id from platform_incidents where resolved_at is null'))
    expect((await resolve(id)).status).toBe(200);
  await settled(() => service.app.services.incidents.open().length === 0);
});

/** Waits until what every node keeps at hand has followed. */
const settled = (holds: () => boolean) => until(() => expect(holds()).toBe(true));

test('one of nobody in particular shows on every page while it is open, and is no event', async () => {
  const { read, readOrg } = await feed();
  expect((await read()).body).not.toHaveProperty('platform_incidents');
  const { status, body } = await declare();
  expect(status).toBe(201);
  expect(body).toEqual({
    ...facts,
    id: expect.stringMatching(/^inc_/),
    project_ids: [],
    status: 'ongoing',
    started_at: moment,
    resolved_at: null,
  });
  const { project_ids: _none, resolved_at: _open, ...shown } = body;
  for (const page of [await read(), await readOrg(), await read('?source=app&event_type=nothing')])
    expect(page.body).toMatchObject({ events: [], platform_incidents: [shown], platform_status: 'degraded' });
  const over = await resolve(body.id);
  expect(over.body).toEqual({ ...body, status: 'resolved', resolved_at: moment });
  for (const page of [await read(), await readOrg()]) {
    expect(page.body).not.toHaveProperty('platform_incidents');
    expect(page.body).not.toHaveProperty('platform_status');
  }
});

test('one that is attributed is told to its projects when it begins and when it is over, and shows nowhere else', async () => {
  const [touched, other] = [await feed(), await feed()];
  const { body } = await declare({ scope: 'projects', project_ids: [touched.projectId, touched.projectId] });
  expect(body.project_ids).toEqual([touched.projectId]);
  const payload = {
    incident_id: body.id,
    subsystem: 'database',
    severity: 'major',
    scope: 'projects',
    status: 'ongoing',
    started_at: body.started_at,
    resolved_at: null,
    summary: facts.summary,
    impact: { count: null },
  };
  const page = (await touched.read()).body;
  expect(page).toMatchObject({
    platform_status: 'degraded',
    events: [
      {
        event_type: 'platform_incident',
        class: 'platform_incident',
        project_id: touched.projectId,
        payload,
        next_actions: [
          { type: 'poll', path: `/projects/v1/${touched.projectId}/events?event_type=platform_incident` },
          { type: 'check_usage', command: `svc errors --project ${touched.projectId}` },
        ],
      },
    ],
  });
  expect(page).not.toHaveProperty('platform_incidents');
  expect((await touched.readOrg()).body.platform_status).toBe('degraded');
  expect((await other.read()).body).toEqual({ events: [], cursor: expect.any(String), has_more: false, reset: false });
  const { body: over } = await resolve(body.id);
  const after = (await touched.read()).body;
  expect(after).not.toHaveProperty('platform_status');
  expect(after.events.map((event: { payload: object }) => event.payload)).toEqual([
    payload,
    { ...payload, status: 'resolved', resolved_at: over.resolved_at },
  ]);
});

test('twenty who end it at once end it once', async () => {
  const { projectId, read } = await feed();
  const { body } = await declare({ scope: 'projects', project_ids: [projectId] });
  const answers = await Promise.all(Array.from({ length: 20 }, () => resolve(body.id)));
  expect(new Set(answers.map((answer) => JSON.stringify([answer.status, answer.body]))).size).toBe(1);
  expect((await read()).body.events).toHaveLength(2);
  expect(await control.sql(`select 1 from audit_events where object_id = $1`, [body.id])).toHaveLength(2);
});

test('a key declares once', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const options = { body: facts, headers };
  const answers = [
    await call(admin, 'POST', '/admin/v1/incidents', options),
    await call(admin, 'POST', '/admin/v1/incidents', options),
  ];
  expect(answers[1]!.body).toEqual(answers[0]!.body);
  expect(await control.sql('select 1 from platform_incidents where resolved_at is null')).toHaveLength(1);
});

test('the status of a tier says so while one is open that touches it', async () => {
  const [touched, other] = [await feed(), await feed()];
  const statusOf = async ({ wallet, orgId }: typeof touched) =>
    (await call(wallet, 'GET', `/tiers/v1/status?org_id=${orgId}`)).body.platform_status;
  await declare({ scope: 'projects', project_ids: [touched.projectId] });
  expect([await statusOf(touched), await statusOf(other)]).toEqual(['degraded', undefined]);
  const { data } = await service.graphql(touched.wallet, '{ tierStatus { platformStatus } }');
  expect(data.tierStatus.platformStatus).toBe('degraded');
  await declare();
  expect(await statusOf(other)).toBe('degraded');
  await settled(() => service.app.services.incidents.open().length === 2);
  const newcomer = await call(actors.wallet(), 'GET', '/tiers/v1/status');
  expect(newcomer.body.platform_status).toBe('degraded');
});

/** Has something go wrong that is nobody's doing, over both surfaces. */
async function failing<Result>(run: () => Promise<Result>): Promise<Result> {
  await control.sql('alter table mail_outbox rename column subject to hidden');
  try {
    return await run();
  } finally {
    await control.sql('alter table mail_outbox rename column hidden to subject');
  }
}

test('failures that go together with an open one name it, and only while it is open', async () => {
  const fail = () =>
    failing(async () => {
      const rest = await service.call<Record<string, unknown>>(admin, 'GET', '/mail/v1/admin/outbox');
      const graph = await service.graphql(admin, '{ outboxMails { edges { cursor } } }');
      return [rest.body, graph.errors![0]!.extensions];
    });
  for (const envelope of await fail()) expect(envelope).not.toHaveProperty('correlated_platform_incident');
  const { body } = await declare();
  await settled(() => service.app.services.incidents.open().length === 1);
  for (const envelope of await fail()) {
    expect(envelope).toMatchObject({
      code: 'INTERNAL_ERROR',
      correlated_platform_incident: { id: body.id, subsystem: 'database', status: 'ongoing' },
    });
    expect((envelope.next_actions as { type: string }[]).at(-1)).toMatchObject({ type: 'poll', method: 'GET' });
  }
  // What the caller did wrong goes together with nothing.
  const refused = await service.call<Record<string, unknown>>(actors.nobody, 'GET', '/orgs/v1');
  expect(refused.body).not.toHaveProperty('correlated_platform_incident');
  await resolve(body.id);
  await settled(() => service.app.services.incidents.open().length === 0);
  for (const envelope of await fail()) expect(envelope).not.toHaveProperty('correlated_platform_incident');
});

test('one of another subsystem, or of other projects, is not named', async () => {
  const { projectId } = await feed();
  await declare({ subsystem: 'mail' });
  await declare({ scope: 'projects', project_ids: [projectId] });
  await settled(() => service.app.services.incidents.open().length === 2);
  const { body } = await failing(() => service.call<Record<string, unknown>>(admin, 'GET', '/mail/v1/admin/outbox'));
  expect(body.code).toBe('INTERNAL_ERROR');
  expect(body).not.toHaveProperty('correlated_platform_incident');
});

test('over GraphQL one is declared, shown and ended', async () => {
  const { wallet, projectId } = await feed();
  const fields = 'incidentId subsystem severity scope status summary projectIds startedAt resolvedAt';
  const declared = await service.graphql(
    admin,
    `mutation ($in: DeclareIncidentInput!) { declareIncident(input: $in) { ${fields} } }`,
    { in: { subsystem: 'EDGE', severity: 'MINOR', scope: 'GLOBAL', summary: 'Slow.' } },
  );
  const incident = declared.data.declareIncident;
  expect(incident).toMatchObject({ subsystem: 'EDGE', status: 'ONGOING', projectIds: [], resolvedAt: null });
  const { data } = await service.graphql(
    wallet,
    `query ($id: ID!) { project(id: $id) { events {
      platformStatus platformIncidents { incidentId subsystem severity summary startedAt }
    } } }`,
    { id: projectId },
  );
  expect(data.project.events).toEqual({
    platformStatus: 'degraded',
    platformIncidents: [
      {
        incidentId: incident.incidentId,
        subsystem: 'edge',
        severity: 'minor',
        summary: 'Slow.',
        startedAt: incident.startedAt,
      },
    ],
  });
  const over = await service.graphql(
    admin,
    `mutation ($in: ResolveIncidentInput!) { resolveIncident(input: $in) { ${fields} } }`,
    { in: { incident: incident.incidentId } },
  );
  expect(over.data.resolveIncident).toEqual({ ...incident, status: 'RESOLVED', resolvedAt: moment });
});

test.each<[string, object, string]>([
  ['a subsystem that there is not', { subsystem: 'Database' }, 'subsystem'],
  ['a severity that there is not', { severity: 'bad' }, 'severity'],
  ['a scope that there is not', { scope: 'everybody' }, 'scope'],
  ['a blank summary', { summary: ' \u200b' }, 'summary'],
  ['a summary of several lines', { summary: 'one\ntwo' }, 'summary'],
  ['a summary that is too long', { summary: '漢'.repeat(501) }, 'summary'],
  ['projects of a global one', { project_ids: ['prj_00000'] }, 'project_ids'],
  ['an attributed one without projects', { scope: 'projects', project_ids: [] }, 'project_ids'],
  [
    'too many projects',
    { scope: 'projects', project_ids: Array.from({ length: 501 }, (_, n) => `prj_${n}`) },
    'project_ids',
  ],
  ['projects that are a text', { scope: 'projects', project_ids: 'prj_00000' }, 'project_ids'],
])('%s is refused', async (_case, body, field) => {
  expectRefusal(await declare(body), 'VALIDATION_FAILED', { field });
});

test('a summary of 500 characters is one', async () => {
  expect((await declare({ summary: '漢'.repeat(500) })).status).toBe(201);
});

test('projects that are not there are all named, and nothing is declared', async () => {
  const { projectId } = await feed();
  const answer = await declare({ scope: 'projects', project_ids: [projectId, 'prj_0', 'prj_1'] });
  expectRefusal(answer, 'RESOURCE_NOT_FOUND', { project_ids: ['prj_0', 'prj_1'] });
  expect(await control.sql('select 1 from platform_incidents where resolved_at is null')).toEqual([]);
  expectRefusal(await resolve('inc_0'), 'RESOURCE_NOT_FOUND', { incident_id: 'inc_0' });
});

test('nobody but the platform admin tells of the platform’s faults', async () => {
  const { wallet, key } = await feed();
  for (const path of ['/admin/v1/incidents', '/admin/v1/incidents/inc_0/resolve']) {
    for (const actor of [wallet, key])
      expectRefusal(await call(actor, 'POST', path, { body: facts }), 'ADMIN_REQUIRED');
    expectRefusal(await call(actors.nobody, 'POST', path, { body: facts }), 'AUTH_REQUIRED');
  }
});
