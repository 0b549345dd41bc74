import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

const remove = (actor: Actor, projectId: string, headers: Record<string, string> = {}) =>
  call(actor, 'DELETE', `/projects/v1/${projectId}`, { headers });

interface Row {
  readonly state: string;
  readonly deleted_at: Date | null;
  readonly repo_name: string | null;
  readonly database_name: string;
  readonly role_name: string;
}
const rowOf = async (projectId: string) =>
  (
    await control.sql<Row>(
      'select state, deleted_at, repo_name, database_name, role_name from projects where id = $1',
      [projectId],
    )
  )[0]!;

/** What is left of a project on its server. */
const leftOf = ({ database_name, role_name }: Row) =>
  control.sql(
    `select datname as name from pg_database where datname = $1 union all select rolname from pg_roles where rolname = $2`,
    [database_name, role_name],
  );
const auditOf = (projectId: string) =>
  control.sql<{ actor: { authority: unknown }; details: unknown }>(
    `select actor, details from audit_events where object_id = $1 and action = 'project.deleted'`,
    [projectId],
  );

test('an owner deletes a project: its database and role are gone, and it is for everybody as if it never was', async () => {
  const { wallet, orgId, projectId, anonKey, serviceKey } = await service.project();
  const { name } = (await call(wallet, 'GET', `/projects/v1/${projectId}`)).body;
  const before = await rowOf(projectId);
  expect(await leftOf(before)).toHaveLength(2);
  const deleted = await remove(wallet, projectId);
  expect([deleted.status, deleted.body]).toEqual([200, { status: 'purged', project_id: projectId }]);

  const row = await rowOf(projectId);
  expect(row).toMatchObject({ state: 'deleted', deleted_at: expect.any(Date) });
  expect(await leftOf(row)).toEqual([]);
  expect(await auditOf(projectId)).toMatchObject([
    { actor: { authority: { kind: 'organization_membership', role: 'owner' } }, details: { name } },
  ]);
  for (const include of ['', '&include=archived']) {
    expect((await call(wallet, 'GET', `/projects/v1?org_id=${orgId}${include}`)).body.projects).toEqual([]);
  }
  const gone = { reason: 'project_not_found' };
  expectRefusal(await call(wallet, 'GET', `/projects/v1/${projectId}`), 'NOT_AUTHORIZED', gone);
  expectRefusal(await call(wallet, 'GET', `/projects/v1/${projectId}/keys`), 'NOT_AUTHORIZED', gone);
  expectRefusal(await remove(wallet, projectId), 'NOT_AUTHORIZED', { action: 'project:delete', ...gone });
  for (const key of [anonKey, serviceKey]) {
    expectRefusal(await call(actors.bearer(key), 'GET', `/projects/v1/${projectId}`), 'INVALID_AUTH');
  }
});

test('its own service key deletes a project, and is told afterwards that it is gone', async () => {
  const { projectId, serviceKey, anonKey } = await service.project();
  const other = await service.project();
  const key = actors.bearer(serviceKey);
  expectRefusal(await remove(key, other.projectId), 'FORBIDDEN');
  expectRefusal(await remove(actors.bearer(anonKey), projectId), 'AUTH_REQUIRED');
  expect((await remove(key, projectId)).body).toEqual({ status: 'purged', project_id: projectId });
  expect((await auditOf(projectId))[0]!.actor.authority).toEqual({
    kind: 'system',
    reason_code: 'project_service_role',
  });
  for (const again of [key, actors.apikey(serviceKey)]) {
    expectRefusal(await remove(again, projectId), 'PROJECT_NOT_FOUND');
  }
  // Of any other project it says nothing.
  for (const id of [other.projectId, 'prj_nobody']) expectRefusal(await remove(key, id), 'INVALID_AUTH');
  expectRefusal(await remove(actors.bearer(`${serviceKey.slice(0, -3)}AAA`), projectId), 'INVALID_AUTH');
  expect((await rowOf(other.projectId)).state).toBe('ready');
});

test('GraphQL answers with the project as it was, deleted; as a node it is no more', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const document = `mutation ($input: DeleteProjectInput!) { deleteProject(input: $input) {
    id name state status deletedAt organization { id } usage { storageBytes } } }`;
  const input = { project: `Project_${projectId}`, idempotencyKey: crypto.randomUUID() };
  const { data, errors } = await service.graphql(wallet, document, { input });
  expect(errors).toBeUndefined();
  expect(data.deleteProject).toEqual({
    id: `Project_${projectId}`,
    name: expect.any(String),
    state: 'DELETED',
    status: 'DELETED',
    deletedAt: expect.any(String),
    organization: { id: `Organization_${orgId}` },
    usage: { storageBytes: 0 },
  });
  const node = await service.graphql(wallet, 'query ($id: ID!) { node(id: $id) { id } }', { id: input.project });
  expect(node.data).toEqual({ node: null });
  expect((await service.graphql(wallet, document, { input })).data).toEqual(data);
  const anew = await service.graphql(wallet, document, { input: { project: projectId } });
  expect(anew.errors![0]!.extensions).toMatchObject({ code: 'NOT_AUTHORIZED' });
});

test('with its key a deletion is answered again as the first time, to its caller and for its project alone', async () => {
  const { wallet, orgId, principalId, projectId } = await service.project();
  const { body: second } = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = await remove(wallet, projectId, headers);
  expect(first.status).toBe(200);
  expect(await remove(wallet, projectId, headers)).toMatchObject({ status: 200, body: first.body });
  const session = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  expect((await remove(session, projectId, headers)).body).toEqual(first.body);
  expectRefusal(await remove(wallet, second.project_id, headers), 'IDEMPOTENCY_KEY_REUSED');
  expectRefusal(await remove(wallet, 'prj_nobody', headers), 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  const stranger = await service.owner();
  expectRefusal(await remove(stranger.wallet, projectId, headers), 'NOT_AUTHORIZED');
  const colleague = await actors.session({ passkeyAgeSeconds: 1 });
  await actors.member(orgId, colleague.principalId, 'owner');
  expectRefusal(await remove(colleague, projectId, headers), 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  expect(await auditOf(projectId)).toHaveLength(1);
  expect((await rowOf(second.project_id)).state).toBe('ready');
});

test('twenty deletions that race delete once, and each is told how it ended', async () => {
  const { wallet, projectId, serviceKey } = await service.project();
  const key = actors.bearer(serviceKey);
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, at) => [at % 2, await remove(at % 2 === 0 ? wallet : key, projectId)] as const,
    ),
  );
  expect(answers.filter(([, { status }]) => status === 200)).toHaveLength(1);
  for (const [byKey, answer] of answers) {
    if (answer.status === 200) expect(answer.body).toEqual({ status: 'purged', project_id: projectId });
    else if (byKey === 0) expectRefusal(answer, 'NOT_AUTHORIZED', { reason: 'project_not_found' });
    else expectRefusal(answer, 'PROJECT_NOT_FOUND');
  }
  expect(await auditOf(projectId)).toHaveLength(1);
  expect(await leftOf(await rowOf(projectId))).toEqual([]);
});

test('a person needs a fresh passkey to delete, a wallet does not', async () => {
  const { projectId, principalId } = await service.project();
  for (const [passkeyAgeSeconds, reason] of [
    [undefined, 'missing'],
    [301, 'stale'],
  ] as const) {
    const session = await actors.session(
      passkeyAgeSeconds === undefined ? { principalId } : { principalId, passkeyAgeSeconds },
    );
    expectRefusal(await remove(session, projectId), 'STEP_UP_REQUIRED', { op_class: 'project.delete', reason });
  }
  expect((await rowOf(projectId)).state).toBe('ready');
  const fresh = await actors.session({ principalId, passkeyAgeSeconds: 10 });
  expect((await remove(fresh, projectId)).status).toBe(200);
});

test('a deleted project makes room: its repository name is free, and it counts no more', async () => {
  const { wallet, orgId, projectId } = await service.project();
  await call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits: { projects: 1 } } });
  await call(wallet, 'POST', `/projects/v1/${projectId}/repo-name`, { body: { name: 'shop' } });
  expectRefusal(await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } }), 'QUOTA_EXCEEDED');
  await remove(wallet, projectId);
  const next = (await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } })).body.project_id;
  const named = await call(wallet, 'POST', `/projects/v1/${next}/repo-name`, { body: { name: 'shop' } });
  expect(named.body).toEqual({ project_id: next, repo_name: 'shop', previous_repo_name: null });
});

test('its room vanishes with it, for members as for its key, and its messages are kept', async () => {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const room = `/orgs/v1/${orgId}/rooms/${projectId}`;
  expect((await call(wallet, 'POST', `${room}/messages`, { body: { body: 'last words' } })).status).toBe(201);
  const stream = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${serviceKey}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({
      query: `subscription { roomMessages(org: "${orgId}", room: "${projectId}") { message { body } } }`,
    }),
  });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  while (!heard.includes('last words')) heard += (await reader.read()).value;
  await remove(wallet, projectId);
  for (let part = await reader.read(); !part.done; part = await reader.read()) heard += part.value;
  expect(heard).toMatch(/NOT_AUTHORIZED.*event: complete/s);

  expectRefusal(await call(wallet, 'GET', `${room}/messages`), 'NOT_AUTHORIZED');
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}/rooms`)).body.rooms).toEqual([]);
  expect(await control.sql('select body from room_messages where org_id = $1', [orgId])).toEqual([
    { body: 'last words' },
  ]);
});

test('whoever is inside its database is put out', async () => {
  const { wallet, projectId } = await service.project();
  const { database_name, role_name } = await rowOf(projectId);
  const url = new URL(service.control.serverUrl);
  url.username = role_name;
  url.password = service.app.services.projectDatabases.password({ roleName: role_name });
  url.pathname = `/${database_name}`;
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query('select 1');
  expect((await remove(wallet, projectId)).status).toBe(200);
  await expect(client.query('select 1')).rejects.toThrow();
  await client.end().catch(() => undefined);
});

test('a project that is still being made is not deleted under the hands of its maker', async () => {
  const { wallet, projectId } = await service.project();
  await control.sql(`update projects set state = 'provisioning' where id = $1`, [projectId]);
  const refused = await remove(wallet, projectId);
  expectRefusal(refused, 'PROJECT_NOT_READY');
  expect(refused.headers.get('retry-after')).toBe('1');
  await control.sql(`update projects set state = 'ready' where id = $1`, [projectId]);
  expect((await remove(wallet, projectId)).status).toBe(200);
});

test('a creation that is answered again after its project was deleted brings nothing back', async () => {
  const { wallet, orgId } = await service.owner();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const create = () => call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId }, headers });
  const first = await create();
  await remove(wallet, first.body.project_id);
  // As if the answer had been lost before it was stored: the step is there, its outcome is not.
  await control.sql(
    `update idempotency_keys set outcome = null, lease_until = now() - interval '1 second' where key = $1`,
    [headers['idempotency-key']],
  );
  expect((await create()).body.project_id).toBe(first.body.project_id);
  expect(await rowOf(first.body.project_id)).toMatchObject({ state: 'deleted', deleted_at: expect.any(Date) });
});

test.each(['frozen', 'dormant'])('in a %s organization nothing is deleted', async (state) => {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  await control.sql('update orgs set lifecycle_state = $2 where id = $1', [orgId, state]);
  for (const actor of [wallet, actors.bearer(serviceKey)]) {
    expectRefusal(await remove(actor, projectId), state === 'frozen' ? 'PROJECT_FROZEN' : 'PROJECT_DORMANT');
  }
  expect((await rowOf(projectId)).state).toBe('ready');
});

test('what an organization that is purged still has is deleted by housekeeping, on any number of nodes', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const { body: second } = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  const alive = await service.project();
  await control.sql(`update orgs set lifecycle_state = 'purged' where id = $1`, [orgId]);
  const keepHouse = () => control.sql(`select graphile_worker.add_job('housekeeping')`);
  await Promise.all([keepHouse(), keepHouse(), keepHouse()]);
  const hurry = `update graphile_worker._private_jobs set run_at = now() where locked_at is null`;
  for (;;) {
    // Leases and jobs wait for seconds; a test need not.
    await control.sql(
      `update step_operations set lease_until = now() - interval '1 second' where state = 'running' and org_id = $1`,
      [orgId],
    );
    await control.sql(hurry);
    const rows = await Promise.all([projectId, second.project_id].map(rowOf));
    if (rows.every(({ state }) => state === 'deleted')) break;
    await sleep(20);
  }
  for (const id of [projectId, second.project_id]) {
    expect(await leftOf(await rowOf(id))).toEqual([]);
    expect((await auditOf(id)).map(({ actor }) => actor.authority)).toEqual([
      { kind: 'system', reason_code: 'organization_purged' },
    ]);
  }
  expect(await rowOf(alive.projectId)).toMatchObject({ state: 'ready', deleted_at: null });
  // What is empty is not looked at again.
  await keepHouse();
  await until(async () =>
    expect(
      await control.sql('select id from orgs where emptied_at is not null and id = any($1)', [[orgId, alive.orgId]]),
    ).toEqual([{ id: orgId }]),
  );
});
