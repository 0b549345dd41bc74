import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { actors, control } = service;
const made = await service.project();
const other = await service.project();

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;
const door = ({ projectId, serviceKey }: typeof made) => {
  const key = actors.bearer(serviceKey);
  const path = `/projects/v1/${projectId}/queries`;
  return {
    save: (body: object, headers = {}) => service.call<Any>(key, 'POST', path, { body, headers }),
    list: (query = '') => service.call<Any>(key, 'GET', `${path}${query}`),
    remove: (id: string, query = '') => service.call<Any>(key, 'DELETE', `${path}/${id}${query}`),
  };
};
const { save, list, remove } = door(made);

test('a query is saved, listed, replaced under its version and deleted', async () => {
  const { status, body } = await save({ name: '  Latest ', sql: 'select 1', description: 'For the stand-up.' });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { name: 'Latest', sql: 'select 1', description: 'For the stand-up.', version: 1, updated_by: null },
  });
  const id = body.query_id as string;
  expect((await list()).body).toMatchObject({ queries: [body], has_more: false, next_cursor: null });
  const replaced = await save({ query: id, version: 1, name: 'Latest', sql: 'select 2' });
  expect(replaced.body).toMatchObject({ query_id: id, version: 2, sql: 'select 2', description: null });
  expect((await remove(id)).body).toEqual({ query_id: id, deleted: true });
  expect((await list()).body.queries).toEqual([]);
  expect((await remove(id)).body).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
});

test('of two who edit one query the second is told, and loses nothing', async () => {
  const { body } = await save({ name: 'shared', sql: 'select 0' });
  const edit = (sql: string) => save({ query: body.query_id, version: 1, name: 'shared', sql });
  const both = await Promise.all([edit('select 1'), edit('select 2')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const winner = both.find(({ status }) => status === 200)!;
  const loser = both.find(({ status }) => status === 409)!;
  expect(loser.body).toMatchObject({ code: 'QUERY_CONFLICT', details: { query_id: body.query_id, version: 2 } });
  expect((await list()).body.queries).toEqual([winner.body]);
  await remove(body.query_id);
});

test('a query is not deleted that was changed since it was read', async () => {
  const { body } = await save({ name: 'kept', sql: 'select 0' });
  const id = body.query_id as string;
  await save({ query: id, version: 1, name: 'kept', sql: 'select 1' });
  expect((await remove(id, '?version=1')).body).toMatchObject({
    code: 'QUERY_CONFLICT',
    details: { query_id: id, version: 2 },
  });
  expect((await remove(id, '?version=none')).body).toMatchObject({ code: 'VALIDATION_FAILED' });
  const deleting = (version: number) =>
    service.graphql(made.wallet, 'mutation ($input: DeleteQueryInput!) { deleteQuery(input: $input) { queryId } }', {
      input: { project: made.projectId, query: id, version },
    });
  expect((await deleting(1)).errors?.[0]?.extensions.code).toBe('QUERY_CONFLICT');
  expect((await list()).body.queries).toMatchObject([{ version: 2 }]);
  expect((await remove(id, '?version=2')).body).toEqual({ query_id: id, deleted: true });
});

test('bad input is refused by field', async () => {
  for (const body of [
    { name: '', sql: 'select 1' },
    { name: ' ', sql: 'select 1' },
    { name: 'a'.repeat(101), sql: 'select 1' },
    { name: 'empty', sql: '' },
    { name: 'too long', sql: 'x'.repeat(1024 * 1024 + 2) },
    { name: 'described', sql: 'select 1', description: 'd'.repeat(2001) },
    { name: 'no version', sql: 'select 1', query: randomUUID() },
    { name: 'no query', sql: 'select 1', version: 1 },
    { name: 'below', sql: 'select 1', query: randomUUID(), version: 0 },
  ])
    expect((await save(body)).body.code).toMatch(/^(VALIDATION_FAILED|BODY_TOO_LARGE)$/);
  const absent = await save({ name: 'absent', sql: 'select 1', query: randomUUID(), version: 1 });
  expect(absent.body).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  expect((await remove('nothing')).body).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
});

test('a query of another project is absent, for reading, replacing and deleting', async () => {
  const { body } = await save({ name: 'mine', sql: 'select 1' });
  const theirs = door(other);
  expect((await theirs.list()).body.queries).toEqual([]);
  const replaced = await theirs.save({ query: body.query_id, version: 1, name: 'theirs', sql: 'select 2' });
  expect(replaced.body).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  expect((await theirs.remove(body.query_id)).body).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  const foreign = actors.bearer(other.serviceKey);
  const path = `/projects/v1/${made.projectId}/queries`;
  for (const [method, where] of [
    ['GET', path],
    ['POST', path],
    ['DELETE', `${path}/${body.query_id}`],
  ] as const) {
    const answer = await service.call<Any>(
      foreign,
      method,
      where,
      method === 'POST' ? { body: { name: 'x', sql: 'x' } } : {},
    );
    expect(answer.status).toBe(403);
  }
  await remove(body.query_id);
});

test('pages and the connection of the graph run through all of them, newest first', async () => {
  for (const name of ['one', 'two', 'three']) await save({ name, sql: `select '${name}'` });
  const first = await list('?limit=2');
  expect(first.body).toMatchObject({ queries: [{ name: 'three' }, { name: 'two' }], has_more: true });
  const rest = await list(`?limit=2&after=${encodeURIComponent(first.body.next_cursor)}`);
  expect(rest.body).toMatchObject({ queries: [{ name: 'one' }], has_more: false });
  const document = `{ project(id: "${made.projectId}") { savedQueries(first: 2) {
    edges { node { queryId name sql version updatedBy } } pageInfo { hasNextPage } } } }`;
  const { data } = await service.graphql(actors.bearer(made.serviceKey), document, {});
  expect(data.project.savedQueries).toMatchObject({
    edges: [{ node: { name: 'three' } }, { node: { name: 'two' } }],
    pageInfo: { hasNextPage: true },
  });
});

test('a project keeps 500 of them and 16 MiB, and may shrink what it has', async () => {
  const [{ org_id }] = (await control.sql<{ org_id: string }>('select org_id from projects where id = $1', [
    other.projectId,
  ])) as [{ org_id: string }];
  const theirs = door(other);
  await control.sql(
    `insert into saved_queries (org_id, project_id, id, name, sql) select $1, $2, gen_random_uuid(), 'n', 's'
     from generate_series(1, 500)`,
    [org_id, other.projectId],
  );
  const over = await theirs.save({ name: 'one more', sql: 'select 1' });
  expect(over.body).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    details: { metric: 'saved_queries', limit: 500, used: 500 },
  });
  const [{ query_id: id }] = (await theirs.list('?limit=1')).body.queries;
  expect((await theirs.save({ query: id, version: 1, name: 'n', sql: 'select 1' })).status).toBe(200);
  await control.sql(
    `update saved_queries set sql = repeat('x', 1048576) where id in (
    select id from saved_queries where project_id = $1 and id <> $2 limit 16)`,
    [other.projectId, id],
  );
  const grown = await theirs.save({ query: id, version: 2, name: 'n', sql: 'select 1234' });
  expect(grown.body).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { metric: 'saved_query_bytes' } });
  expect((await theirs.save({ query: id, version: 2, name: 'n', sql: 's' })).status).toBe(200);
});

test('changes are audited, and the queries of a project end with it', async () => {
  const gone = await service.project();
  const theirs = door(gone);
  const { body } = await theirs.save({ name: 'to go', sql: 'select secret' });
  await theirs.save({ query: body.query_id, version: 1, name: 'to go', sql: 'select other' });
  const rows = await control.sql<{ action: string; details: object }>(
    'select action, details from audit_events where object_id = $1 order by seq',
    [body.query_id],
  );
  expect(rows).toMatchObject([
    { action: 'saved_query.created', details: { name: 'to go', version: 1 } },
    { action: 'saved_query.replaced', details: { version: 2 } },
  ]);
  expect(JSON.stringify(rows)).not.toContain('secret');
  const deleted = await service.call(actors.bearer(gone.serviceKey), 'DELETE', `/projects/v1/${gone.projectId}`);
  expect(deleted.status).toBe(200);
  expect(await control.sql('select id from saved_queries where project_id = $1', [gone.projectId])).toEqual([]);
});
