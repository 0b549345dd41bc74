import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { seedProjects } from './seed-projects.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const seed = (orgId: string, count: number) => seedProjects(service.control, orgId, count);

/** Every id of a list, page after page. */
async function walk(actor: Actor, query: string, between = async (_page: number) => {}): Promise<string[]> {
  const ids: string[] = [];
  let after = '';
  for (let page = 0; ; page++) {
    const { body } = await call(actor, 'GET', `/projects/v1?${query}${after}`);
    ids.push(...body.projects.map(({ id }: { id: string }) => id));
    expect(body.has_more).toBe(body.next_cursor !== null);
    if (!body.has_more) return ids;
    after = `&after=${body.next_cursor}`;
    await between(page);
  }
}

test('pages run newest first, with neither gap nor repeat while projects are added', async () => {
  const { wallet, orgId } = await service.owner();
  // Many of one moment, so that the id has to decide between them.
  const ids = await seed(orgId, 30);
  const walked = await walk(wallet, `org_id=${orgId}&limit=7`, async () => void (await seed(orgId, 2)));
  expect(walked).toEqual(ids);
});

test('a page of exactly what is left says that there is no more', async () => {
  const { wallet, orgId } = await service.owner();
  await seed(orgId, 4);
  const { body } = await call(wallet, 'GET', `/projects/v1?org_id=${orgId}&limit=4`);
  expect(body).toMatchObject({ has_more: false, next_cursor: null });
  expect(body.projects).toHaveLength(4);
});

test('fifty rows unless told, two hundred at most', async () => {
  const { wallet, orgId } = await service.owner();
  await seed(orgId, 205);
  const sizes = async (limit: string) =>
    (await call(wallet, 'GET', `/projects/v1?org_id=${orgId}${limit}`)).body.projects.length;
  expect(await sizes('')).toBe(50);
  expect(await sizes('&limit=1')).toBe(1);
  expect(await sizes('&limit=201')).toBe(200);
  expect(await sizes('&limit=100000000000000000000')).toBe(200);
});

test.each<[string, string, string]>([
  ['limit=0', 'VALIDATION_FAILED', 'limit'],
  ['limit=-1', 'VALIDATION_FAILED', 'limit'],
  ['limit=abc', 'VALIDATION_FAILED', 'limit'],
  ['limit=1.5', 'VALIDATION_FAILED', 'limit'],
  ['limit=', 'VALIDATION_FAILED', 'limit'],
  ['limit=5&limit=6', 'VALIDATION_FAILED', 'limit'],
  ['include=deleted', 'VALIDATION_FAILED', 'include'],
  ['include=', 'VALIDATION_FAILED', 'include'],
  ['org_id=mine', 'VALIDATION_FAILED', 'org_id'],
  ['after=garbage', 'INVALID_CURSOR', 'after'],
  ['after=', 'INVALID_CURSOR', 'after'],
  [`after=${'a'.repeat(3_000)}`, 'INVALID_CURSOR', 'after'],
  ['after=a%00b', 'INVALID_CURSOR', 'after'],
])('%s is refused by name', async (query, code, field) => {
  const { wallet } = await service.owner();
  expectRefusal(await call(wallet, 'GET', `/projects/v1?${query}`), code as 'VALIDATION_FAILED', { field });
});

test('a cursor is good for the list that gave it out and no other', async () => {
  const { wallet, orgId } = await service.owner();
  const other = (await call(wallet, 'POST', '/orgs/v1')).body.org_id;
  await seed(orgId, 3);
  const page = (await call(wallet, 'GET', `/projects/v1?org_id=${orgId}&limit=1`)).body;
  for (const query of ['', `&org_id=${other}`, `&org_id=${orgId}&include=archived`]) {
    const answer = await call(wallet, 'GET', `/projects/v1?after=${page.next_cursor}${query}`);
    expectRefusal(answer, 'INVALID_CURSOR', { field: 'after' });
  }
  const room = await call(wallet, 'GET', `/orgs/v1/${orgId}/rooms/standup/messages`);
  const fromRoom = await call(wallet, 'GET', `/projects/v1?org_id=${orgId}&after=${room.body.cursor}`);
  expectRefusal(fromRoom, 'INVALID_CURSOR');
});

test('archived projects are listed when asked for, deleted ones never', async () => {
  const { wallet, orgId } = await service.owner();
  const [kept, archived, deleted, both] = await seed(orgId, 4);
  await service.control.sql('update projects set archived_at = now() where id = any($1)', [[archived, both]]);
  await service.control.sql('update projects set deleted_at = now() where id = any($1)', [[deleted, both]]);
  expect(await walk(wallet, `org_id=${orgId}`)).toEqual([kept]);
  expect(await walk(wallet, `org_id=${orgId}&include=archived`)).toEqual([kept, archived]);
  const row = (await call(wallet, 'GET', `/projects/v1/${archived}`)).body;
  expect(row).toMatchObject({ status: 'archived', effective_status: 'archived', archived_at: expect.any(String) });
  for (const id of [deleted, both]) {
    expectRefusal(await call(wallet, 'GET', `/projects/v1/${id}`), 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  }
});

test('the status of a project follows its organization', async () => {
  const { wallet, orgId } = await service.owner();
  const [id] = await seed(orgId, 1);
  for (const state of ['past_due', 'frozen', 'dormant', 'active']) {
    await service.control.sql('update orgs set lifecycle_state = $2, lease_perpetual = true where id = $1', [
      orgId,
      state,
    ]);
    expect((await call(wallet, 'GET', `/projects/v1/${id}`)).body).toMatchObject({
      status: state,
      effective_status: state,
      organization_lifecycle_state: state,
      lease_perpetual: true,
    });
  }
});

test('the list tells the same of a project as the project itself, in either form of its id', async () => {
  const { wallet, orgId } = await service.owner();
  const [id] = await seed(orgId, 1);
  const [row] = (await call(wallet, 'GET', '/projects/v1')).body.projects;
  expect((await call(wallet, 'GET', `/projects/v1/${id}`)).body).toMatchObject(row);
  for (const given of [id, `Project_${id}`]) {
    const graph = await service.graphql(wallet, 'query ($id: ID!) { project(id: $id) { name createdAt } }', {
      id: given,
    });
    expect(graph).toEqual({ data: { project: { name: row.name, createdAt: row.created_at } } });
  }
});

test('without an organization the list covers all that the caller may see, and nothing else', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  const foreign = await service.owner();
  const [own] = await seed(orgId, 1);
  const [granted, hidden, expired] = await seed(foreign.orgId, 3);
  const grant = (project: string, expires: string | null) =>
    service.control.sql(
      `insert into project_grants (org_id, id, project_id, principal_id, capability, expires_at)
       values ($1, $2, $3, $4, 'read', $5)`,
      [foreign.orgId, randomUUID(), project, principalId, expires],
    );
  await grant(granted!, null);
  await grant(expired!, '2020-01-01');
  expect(new Set(await walk(wallet, 'limit=1'))).toEqual(new Set([own, granted]));
  expect((await call(wallet, 'GET', `/projects/v1/${granted}`)).status).toBe(200);
  for (const id of [hidden!, expired!, 'prj_nobody', 'nonsense']) {
    expectRefusal(await call(wallet, 'GET', `/projects/v1/${id}`), 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  }
  const named = await call(wallet, 'GET', `/projects/v1?org_id=${foreign.orgId}`);
  expectRefusal(named, 'NOT_AUTHORIZED', { reason: 'member' });
});

test('a delegate sees its own projects, a service key its one', async () => {
  const { orgId, projectId, serviceKey, anonKey } = await service.project();
  const [sibling] = await seed(orgId, 1);
  const delegate = await service.actors.delegate({ orgId, projectId, capabilities: ['read'] });
  expect(await walk(delegate, '')).toEqual([projectId]);
  expectRefusal(await call(delegate, 'GET', `/projects/v1/${sibling}`), 'NOT_AUTHORIZED');
  const key = service.actors.bearer(serviceKey);
  expect((await call(key, 'GET', `/projects/v1/${projectId}`)).body.org_id).toBe(orgId);
  expectRefusal(await call(key, 'GET', `/projects/v1/${sibling}`), 'FORBIDDEN');
  expectRefusal(await call(service.actors.apikey(anonKey), 'GET', `/projects/v1/${projectId}`), 'AUTH_REQUIRED');
});

test('keys, which may do what an owner may, are for owners alone, and for a session with a fresh passkey', async () => {
  const { orgId, projectId } = await service.project();
  const path = `/projects/v1/${projectId}/keys`;
  for (const role of ['viewer', 'billing', 'developer', 'admin']) {
    const session = await service.actors.session({ passkeyAgeSeconds: 1 });
    await service.actors.member(orgId, session.principalId, role);
    expectRefusal(await call(session, 'GET', path), 'NOT_AUTHORIZED', { reason: 'forbidden' });
  }
  const stale = await service.actors.session({ passkeyAgeSeconds: 301 });
  const { principalId } = stale;
  await service.actors.member(orgId, principalId, 'owner');
  expectRefusal(await call(stale, 'GET', path), 'STEP_UP_REQUIRED', { op_class: 'project.keys' });
  expectRefusal(await call(await service.actors.session({ kind: 'operator', principalId }), 'GET', path), 'FORBIDDEN');
  expect((await call(await service.actors.session({ principalId, passkeyAgeSeconds: 1 }), 'GET', path)).status).toBe(
    200,
  );
});

test('a project that is still being made has no keys yet', async () => {
  const { wallet, orgId } = await service.owner();
  const [id] = await seed(orgId, 1);
  await service.control.sql(`update projects set state = 'provisioning' where id = $1`, [id]);
  const answer = await call(wallet, 'GET', `/projects/v1/${id}/keys`);
  expectRefusal(answer, 'PROJECT_NOT_READY');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.body).toMatchObject({ retry_after: 1 });
});

test('GraphQL pages the same rows in the same order', async () => {
  const { wallet, orgId } = await service.owner();
  const ids = await seed(orgId, 5);
  const query = `query ($org: ID, $first: Int, $after: String) { projects(org: $org, first: $first, after: $after) {
    edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } }`;
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const { data } = await service.graphql(wallet, query, { org: orgId, first: 2, after });
    const { edges, pageInfo } = data.projects;
    expect(pageInfo.hasPreviousPage).toBe(after !== null);
    seen.push(...edges.map(({ node }: { node: { id: string } }) => node.id));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  expect(seen).toEqual(ids.map((id) => `Project_${id}`));
  const refused = await service.graphql(wallet, query, { org: orgId, first: 0 });
  expect(refused.errors![0]!.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'first' } });
  const foreign = await service.graphql(wallet, query, { org: orgId, after: 'garbage' });
  expect(foreign.errors![0]!.extensions).toMatchObject({ code: 'INVALID_CURSOR' });
});
