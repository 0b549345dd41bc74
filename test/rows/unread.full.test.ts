import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import { ResponseBackpressure } from '../../core/response-backpressure.ts';
import { startService } from '../helpers/service.ts';
import { prefer, rowsProject } from './rows-project.ts';

/*
 * Who asks for much and reads nothing of it fills its own part of the memory, by whichever door. What cannot be refused
 * any more once it is done is then not begun.
 */

const service = await startService();
// However long a test takes, it is not cut off for reading nothing.
for (const { services } of service.nodes)
  Object.assign(services, { responseBackpressure: new ResponseBackpressure({ stallMs: 3_600_000 }) });
const schema = `create table wide (id int primary key, seen int not null default 0, text text not null);
  insert into wide (id, text) select n, repeat('x', 100000) from generate_series(1, 150) n;
  create function all_of_wide() returns setof wide language sql as 'select * from wide';
  grant execute on function all_of_wide() to service_role;`;
const project = await rowsProject(service, schema);
const other = await rowsProject(service, schema);
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});

const { hostname, port } = new URL(service.url);
const sockets: Socket[] = [];
const { admin } = project;
const graph = `/projects/v1/${project.projectId}/graphql`;
const script = `/projects/v1/admin/${project.projectId}/sql`;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await project.sql('update wide set seen = 0');
  const call = () => admin('POST', 'rpc/all_of_wide?limit=1', { body: {} });
  await expect.poll(call).toMatchObject({ status: 200 });
});

/** Asks, and reads no more than the status. */
async function unread(method: string, path: string, body: object, headers = ''): Promise<number> {
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.push(socket);
  const begun = new Promise<string>((resolve) => socket.once('readable', () => resolve(String(socket.read(12)))));
  const text = JSON.stringify(body);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\napikey: ${project.serviceKey}\r\ncontent-type: application/json\r\n` +
      `${headers}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return Number((await begun).slice(-3));
}

const rows = 'updateWide(set: { seen: 1 }, where: { id: { gt: 0 } }) { rows { text } }';

test.each([
  ['calls', () => unread('POST', '/admin/v1/rest/rpc/all_of_wide', {})],
  [
    'changes that show their rows',
    () => unread('PATCH', '/admin/v1/rest/wide?id=gt.0', { seen: 1 }, 'prefer: return=representation\r\n'),
  ],
  ['GraphQL', () => unread('POST', graph, { query: `mutation { ${rows} }` })],
  ['SQL', () => unread('POST', script, { sql: 'select * from wide' })],
])('by unread answers of %s a project fills its own part and no more', async (_case, ask) => {
  const statuses: number[] = [];
  // Fifteen megabytes each, of forty-eight mebibytes.
  for (let times = 0; times < 4; times++) statuses.push(await ask());
  expect(statuses).toEqual([200, 200, 200, 200]);
  const full = { status: 429, body: { code: 'RATE_LIMITED', retry_after: 1 } };
  const change = { body: { seen: 7 } };
  expect(await admin('POST', 'rpc/all_of_wide', { body: {} })).toMatchObject(full);
  expect(await admin('PATCH', 'wide?id=eq.1', { ...change, ...prefer('return=representation') })).toMatchObject(full);
  const asked = await service.call(project.service, 'POST', graph, { body: { query: `mutation { ${rows} }` } });
  expect(asked.body).toMatchObject({ data: null, errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  expect(
    await service.call(project.service, 'POST', script, { body: { sql: 'update wide set seen = 7' } }),
  ).toMatchObject(full);
  expect(await project.sql('select from wide where seen = 7')).toHaveLength(0);
  // What answers little goes on, and others are not concerned.
  expect((await admin('GET', 'wide?id=eq.1')).status).toBe(200);
  expect((await admin('PATCH', 'wide?id=eq.1', change)).status).toBe(204);
  expect(await other.admin('POST', 'rpc/all_of_wide', { body: {} })).toMatchObject({ status: 200 });
});

test('a GraphQL query is refused like a read of rows, by its size', async () => {
  const query = '{ a: wide(first: 100) { nodes { text } } }';
  const statuses: number[] = [];
  for (let times = 0; times < 5; times++) statuses.push(await unread('POST', graph, { query }));
  // Ten megabytes each.
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(await unread('POST', graph, { query })).toBe(429);
  const small = { query: '{ wide(first: 1) { nodes { id } } }' };
  expect((await service.call(project.service, 'POST', graph, { body: small })).status).toBe(200);
});

test('the SQL fields of one request share what one answer may have', async () => {
  const field = (name: string) =>
    `${name}: runSql(input: { project: "${project.projectId}", sql: "update wide set seen = seen + 1 returning text" }) { rowCount }`;
  const answer = await service.graphql(project.service, `mutation { ${field('a')} ${field('b')} ${field('c')} }`);
  expect(answer.data).toMatchObject({ a: { rowCount: 150 }, b: { rowCount: 150 }, c: null });
  expect(answer.errors).toMatchObject([{ path: ['c'], extensions: { code: 'RESULT_TOO_LARGE' } }]);
  expect(await project.sql('select from wide where seen = 2')).toHaveLength(150);
});
