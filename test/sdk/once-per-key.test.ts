import { afterAll, beforeEach, expect, test } from 'vitest';
import { createClient, projectKey } from '../../clients/sdk/src/index.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { platformTools } from '../mcp/mcp-stage.ts';
import { graphProject } from '../project-graphql/graph-project.ts';
import { faultyRoad } from './faulty-road.ts';

// A change of rows whose answer is lost is sent again by the SDK, and made once.

const service = await sharedService();
const road = await faultyRoad(service.url);
const project = await graphProject(
  service,
  `create table notes (id bigint generated always as identity primary key, body text);
   create function add_note(body text) returns bigint language sql volatile as
     'insert into public.notes (body) values (body) returning id';`,
);
afterAll(async () => {
  road.close();
  await project.end();
  await service.stop();
});
beforeEach(() => void road.seen.splice(0));

const client = createClient({
  baseUrl: road.url,
  credential: projectKey({ key: project.serviceKey }),
  retry: { pauseMs: 1 },
});
const notes = client.rest<{ id: number; body: string }>('notes', { admin: true });
const count = async (body: string) => (await project.sql(`select from notes where body = '${body}'`)).length;
const keys = () => new Set(road.seen.map(({ headers }) => headers['idempotency-key']));

const insertion = 'mutation ($body: String!) { insertNotes(rows: [{ body: $body }]) { rows { id } } }';

test.each<[string, (body: string) => Promise<unknown>]>([
  ['an insert', (body) => notes.insert({ body })],
  ['a call', (body) => client.rpc('add_note', { body }, { admin: true })],
  ['a mutation', (body) => client.graphql(insertion, { body }, { project: project.projectId })],
])('%s whose answer is lost is sent again under one key, and made once', async (name, send) => {
  road.plan('lost', 'lost');
  expect(await send(name)).toBeTruthy();
  expect(road.seen).toHaveLength(3);
  expect([...keys()]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(await count(name)).toBe(1);
});

test('two changes have two keys, a given key is kept, and `false` sends none', async () => {
  await notes.insert({ body: 'one' });
  await notes.insert({ body: 'one' });
  expect(keys().size).toBe(2);
  const first = await notes.insert({ body: 'given' }, { idempotencyKey: 'mine' });
  expect(await notes.insert({ body: 'given' }, { idempotencyKey: 'mine' })).toEqual(first);
  expect(await count('given')).toBe(1);
  road.seen.splice(0);
  await notes.update({ body: 'bare' }, { body: 'eq.one' }, { idempotencyKey: false });
  expect([...keys()]).toEqual([undefined]);
  await notes.select();
  expect(road.seen.at(-1)!.headers['idempotency-key']).toBeUndefined();
});

test('a tool takes a key as well', async () => {
  const tools = platformTools(service);
  const insert = {
    project_id: project.projectId,
    table: 'notes',
    method: 'POST',
    key_type: 'service',
    body: { body: 'tool' },
  };
  const send = (more: object) => tools.call(project.owner, 'rest_query', { ...insert, ...more });
  const first = await send({ idempotency_key: 'by tool' });
  expect(first.structuredContent).toMatchObject({ status: 201 });
  expect((await send({ idempotency_key: 'by tool' })).structuredContent).toEqual(first.structuredContent);
  expect(await count('tool')).toBe(1);
  await send({});
  expect(await count('tool')).toBe(2);
});
