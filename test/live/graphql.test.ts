import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { openStream } from './event-stream.ts';
import { liveProject, notes, tasks } from './live-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await liveProject(service);
const { run, projectId } = project;

const query = `subscription ($project: ID!, $tables: [String!]!, $after: String) {
  liveHints(project: $project, tables: $tables, after: $after) {
    cursor hint { table op pk n } resync { tables reason }
  }
}`;

interface Told {
  readonly liveHints: {
    readonly cursor: string;
    readonly hint: { readonly table: string; readonly op: string; readonly pk: object[]; readonly n: number } | null;
    readonly resync: { readonly tables: string[]; readonly reason: string } | null;
  };
}

function follow(who: Actor, variables: object, url = service.url) {
  const socket = openSocket(url, who);
  const events = socket.client.iterate<Told, unknown>({
    query,
    variables: { project: projectId, tables: ['notes', 'tasks'], ...variables },
  });
  return {
    async next() {
      const { value } = await events.next();
      return value as { data?: Told; errors?: { extensions: Record<string, unknown> }[] } | undefined;
    },
    close: async () => {
      await events.return?.();
      await socket.client.dispose();
    },
  };
}

const key = service.actors.bearer(project.serviceKey);

test('a subscription says where it begins, tells typed hints of all rows, and resumes', async () => {
  const events = follow(key, {});
  const ready = await events.next();
  expect(ready).toEqual({ data: { liveHints: { cursor: expect.any(String), hint: null, resync: null } } });
  await run(`insert into notes (body) values ('a'); insert into tasks (user_id) values (gen_random_uuid())`);
  const first = await events.next();
  expect(first!.data!.liveHints.hint).toEqual({ table: 'notes', op: 'INSERT', pk: [{ id: 1 }], n: 1 });
  expect((await events.next())!.data!.liveHints.hint).toMatchObject({ table: 'tasks', op: 'INSERT', n: 1 });
  await events.close();
  const again = follow(key, { after: first!.data!.liveHints.cursor, project: `Project_${projectId}` });
  expect((await again.next())!.data!.liveHints.hint).toBeNull();
  expect((await again.next())!.data!.liveHints.hint).toMatchObject({ table: 'tasks' });
  await again.close();
});

test('an unusable cursor is told first, as an order to fetch again', async () => {
  const events = follow(key, { after: 'lcr_nobodys' });
  expect((await events.next())!.data!.liveHints.resync).toEqual({
    tables: ['notes', 'tasks'],
    reason: 'FOREIGN_EPOCH',
  });
  expect((await events.next())!.data!.liveHints).toMatchObject({ hint: null, resync: null });
  await events.close();
});

test('a developer of the organization follows as its key does; viewers, strangers and anon keys do not', async () => {
  const joined = async (role: string) => {
    const { wallet, principalId } = await service.owner();
    await service.control.sql(
      `insert into memberships (org_id, id, principal_id, role, status) values ($1, gen_random_uuid(), $2, $3, 'active')`,
      [project.orgId, principalId, role],
    );
    return wallet;
  };
  const developer = follow(await joined('developer'), {});
  expect((await developer.next())!.data!.liveHints.hint).toBeNull();
  await developer.close();
  const viewer = follow(await joined('viewer'), {});
  expect((await viewer.next())!.errors).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED' } }]);
  await viewer.close();
  const { wallet } = await service.owner();
  for (const [who, code] of [
    [wallet, 'NOT_AUTHORIZED'],
    [service.actors.nobody, 'AUTH_REQUIRED'],
    [service.actors.apikey(project.anonKey), 'AUTH_REQUIRED'],
  ] as const) {
    const refused = follow(who, {});
    expect((await refused.next())!.errors).toMatchObject([{ extensions: { code } }]);
    await refused.close();
  }
});

test('keys keep their digits, however many', async () => {
  const other = await liveProject(service);
  await other.run('create table wide (id bigint, part numeric, primary key (id, part))');
  await other.expose(notes, tasks, { ...notes, name: 'wide' });
  const events = follow(service.actors.bearer(other.serviceKey), { project: other.projectId, tables: ['wide'] });
  await events.next();
  await other.run(`insert into wide values (9007199254740993, 0.1000000000000000000001), (7, 1.5)`);
  expect((await events.next())!.data!.liveHints.hint!.pk).toEqual([
    { id: '9007199254740993', part: '0.1000000000000000000001' },
    { id: 7, part: 1.5 },
  ]);
  await events.close();
});

test('a project that is deleted is told to its followers before they are let go', async () => {
  const other = await liveProject(service);
  const events = follow(service.actors.bearer(other.serviceKey), { project: other.projectId });
  expect((await events.next())!.data!.liveHints.hint).toBeNull();
  const stream = await other.stream({ tables: 'notes' });
  expect(await stream.next()).toMatchObject({ event: 'ready' });
  await service.control.sql('update projects set deleted_at = now() where id = $1', [other.projectId]);
  expect(await stream.next()).toMatchObject({ event: 'reconnect', data: { reason: 'project_gone' } });
  // Its key went with it, and either may be found first.
  expect((await events.next())!.errors).toMatchObject([
    { extensions: { code: expect.stringMatching(/^(PROJECT_NOT_FOUND|NOT_AUTHORIZED)$/) } },
  ]);
  await events.close();
});

test.each(['is only a viewer from now on', 'follows a project that is another organization’s from now on'])(
  'a developer who %s is told so and nothing else',
  async (what) => {
    const other = await liveProject(service);
    const { wallet, principalId } = await service.owner();
    await service.control.sql(
      `insert into memberships (org_id, id, principal_id, role, status) values ($1, gen_random_uuid(), $2, 'developer', 'active')`,
      [other.orgId, principalId],
    );
    const events = follow(wallet, { project: other.projectId });
    expect((await events.next())!.data!.liveHints.hint).toBeNull();
    await other.run(`insert into notes (body) values ('a')`);
    expect((await events.next())!.data!.liveHints.hint).toMatchObject({ table: 'notes' });
    if (what.includes('viewer'))
      await service.control.sql(`update memberships set role = 'viewer' where principal_id = $1`, [principalId]);
    else await service.control.sql('update projects set org_id = $1 where id = $2', [project.orgId, other.projectId]);
    expect((await events.next())!.errors).toMatchObject([
      { extensions: { code: 'NOT_AUTHORIZED', details: { action: 'project:sql' } } },
    ]);
    await events.close();
  },
);

test.each([
  [['plain'], 'TABLE_NOT_LIVE'],
  [[], 'VALIDATION_FAILED'],
  [['No'], 'VALIDATION_FAILED'],
])('tables %j are refused with %s', async (tables, code) => {
  const refused = follow(key, { tables });
  expect((await refused.next())!.errors).toMatchObject([{ extensions: { code } }]);
  await refused.close();
});

test('it tells the same over an event stream', async () => {
  const search = new URLSearchParams({
    query,
    variables: JSON.stringify({ project: projectId, tables: ['notes'] }),
  });
  const events = await openStream(`${service.url}/graphql?${search}`, {
    accept: 'text/event-stream',
    authorization: `Bearer ${project.serviceKey}`,
  });
  expect((await events.next())!.data.data.liveHints).toMatchObject({ hint: null });
  await run(`insert into notes (body) values ('b')`);
  expect((await events.next())!.data.data.liveHints.hint).toMatchObject({ table: 'notes', op: 'INSERT' });
  events.close();
});

test('it goes on over a change of the manifest, and ends with a table that is live no longer', async () => {
  const events = follow(key, { tables: ['notes'] });
  await events.next();
  await run('alter table notes add user_id uuid');
  const owned = { name: 'notes', expose: true, live: true, policy: 'user_owns_rows', owner_column: 'user_id' };
  await project.expose(owned, tasks);
  expect((await events.next())!.data!.liveHints.resync).toEqual({ tables: ['notes'], reason: 'BEFORE_LISTEN' });
  await run(`insert into notes (body) values ('c')`);
  expect((await events.next())!.data!.liveHints.hint).toMatchObject({ table: 'notes', n: 1 });
  await project.expose({ ...notes, live: false }, tasks);
  expect((await events.next())!.errors).toMatchObject([{ extensions: { code: 'TABLE_NOT_LIVE' } }]);
  await events.close();
});
