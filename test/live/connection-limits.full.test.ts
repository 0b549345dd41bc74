import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import type { EventStream } from './event-stream.ts';
import { liveProject } from './live-project.ts';

const service = await startService();
afterAll(() => service.stop());
const { actors, control } = service;

/** A live project, with as many connections on some other node as are said. */
async function projectWith(elsewhere = 0) {
  const project = await liveProject(service);
  await control.sql(
    `insert into live_connections (project_id, node_id, count, expires_at)
     values ($1, $2, $3, now() + interval '10 minutes')`,
    [project.projectId, `node-${randomUUID()}`, elsewhere],
  );
  const open = () => project.stream({ tables: 'notes' });
  return { ...project, open };
}

const bound = (orgId: string, value: number | null) =>
  service.call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, {
    body: { limits: { live_connections_per_project: value } },
  });

async function expectFull(stream: EventStream, limit: number) {
  expect([stream.status, await stream.body()]).toMatchObject([
    429,
    { code: 'LIVE_CONNECTION_LIMIT', details: { limit } },
  ]);
}

test.each([
  ['prototype', 50],
  ['hobby', 200],
  ['team', 200],
])('a project of a %s organization has %i live connections and no more', async (tier, limit) => {
  const { orgId, open } = await projectWith(limit - 1);
  await control.sql('update orgs set tier = $2 where id = $1', [orgId, tier]);
  // What was remembered of the project may be a moment old.
  await bound(orgId, null);
  const last = await open();
  expect(last.status).toBe(200);
  await expectFull(await open(), limit);
  last.close();
});

test('of twenty streams that open at once as many are let in as the organization was given', async () => {
  const { orgId, open } = await projectWith();
  expect((await bound(orgId, 3)).status).toBe(200);
  const streams = await Promise.all(Array.from({ length: 20 }, open));
  const taken = streams.filter(({ status }) => status === 200);
  expect(taken).toHaveLength(3);
  for (const stream of streams) if (!taken.includes(stream)) await expectFull(stream, 3);
  // Raised again, there is room at once; those that are open stay.
  expect((await bound(orgId, 4)).status).toBe(200);
  const fourth = await open();
  expect(fourth.status).toBe(200);
  await expectFull(await open(), 4);
  for (const stream of [...taken, fourth]) stream.close();
});

test('the limit over GraphQL is the limit over REST, and zero lets nobody follow', async () => {
  const { orgId, open } = await projectWith();
  const set = (value: number | null) =>
    service.graphql(
      actors.admin,
      `mutation ($input: SetOrganizationLimitsInput!) {
        setOrganizationLimits(input: $input) { limits { liveConnectionsPerProject } } }`,
      { input: { org: orgId, limits: [{ name: 'liveConnectionsPerProject', value }] } },
    );
  expect((await set(0)).data).toEqual({ setOrganizationLimits: { limits: { liveConnectionsPerProject: 0 } } });
  await expectFull(await open(), 0);
  expect((await set(null)).data).toEqual({ setOrganizationLimits: { limits: { liveConnectionsPerProject: 50 } } });
  const stream = await open();
  expect(stream.status).toBe(200);
  stream.close();
  await until(async () => {
    const [row] = await control.sql<{ n: number }>(
      `select coalesce(sum(l.count), 0)::int as n from live_connections l join projects p on p.id = l.project_id
       where p.org_id = $1`,
      [orgId],
    );
    expect(row!.n).toBe(0);
  });
});
