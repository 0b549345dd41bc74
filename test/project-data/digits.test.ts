import { afterAll, describe, expect, test } from 'vitest';
import { createClient, eq, live, projectKey, rest } from '../../clients/sdk/src/index.ts';
import { terminal } from '../cli/command.ts';
import type { Actor } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { dataProject } from './data-project.ts';

const service = await startService();
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
});
const project = await dataProject(service);
const { projectId, base, key, wallet } = project;
await project.sql(
  `create table big (id bigint primary key, amount numeric, doc jsonb, ratio float8);
   insert into big values (9007199254740992, 1, null, '-0'), (9007199254740993, 2, null, null)`,
);
const owners = { expose: true, live: true, policy: 'public_read_write_UNRESTRICTED' };
await project.expose({ tables: [{ name: 'big', ...owners, i_understand_this_is_unrestricted: true }] });

/** Numbers that no double holds. */
const numbers = ['9007199254740993', '750727362669608961', '1e400', '0.1000000000000000055', '-123456789012345678.9'];
const document = `{"list":[[${numbers.join(',')}]],"in":{"id":750727362669608961}}`;

/** A body as it is written, which JSON of JavaScript could not write. */
const post = async (path: string, body: string, actor: Actor = key) =>
  (await service.call(actor, 'POST', path, { body, headers: { 'content-type': 'application/json' } })).text;
const compact = (text: string) => text.replaceAll(/\s/g, '').replaceAll('1E+400', '1e400');
const hugeOf = (value: string) => value.replace('1e400', `1${'0'.repeat(400)}`);

const bySql = (sql: string, params: string) => post(`${base}/sql`, `{"sql":${JSON.stringify(sql)},"params":${params}}`);
const graph = (query: string, variables: string, path = '/graphql') =>
  post(path, `{"query":${JSON.stringify(query)},"variables":${variables}}`);
const ofProject = (query: string, variables = '{}') => graph(query, variables, `/projects/v1/${projectId}/graphql`);
const tool = (name: string, args: string) =>
  post(
    '/mcp',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{"project_id":"${projectId}",${args}}}}`,
    wallet,
  );

describe.each<[string, (sql: string, params: string) => Promise<string>]>([
  ['the path of SQL', bySql],
  [
    'the graph, by variables',
    (sql, params) =>
      graph(
        'mutation ($input: RunSqlInput!) { runSql(input: $input) { rows } }',
        `{"input":{"project":"${projectId}","sql":${JSON.stringify(sql)},"params":${params}}}`,
      ),
  ],
  [
    'the graph, in the document',
    (sql, params) =>
      graph(
        `mutation { runSql(input: { project: "${projectId}", sql: ${JSON.stringify(sql)}, params: ${params.replaceAll(/"(\w+)":/g, '$1: ')} }) { rows } }`,
        '{}',
      ),
  ],
  ['run_sql', (sql, params) => tool('run_sql', `"sql":${JSON.stringify(sql)},"params":${params}`)],
])('by %s', (_name, run) => {
  test.each(numbers)('the parameter %s keeps its digits, in lists and objects too', async (number) => {
    expect(await run('select $1::numeric = $2::numeric as same', `[${number},"${number}"]`)).toContain('"same":true');
    expect(await run('select $1::numeric[] = $2::numeric[] as same', `[[${number},1],["${number}",1]]`)).toContain(
      '"same":true',
    );
    const nested = `{"a":[{"b":${number}}]}`;
    expect(await run("select $1::jsonb #>> '{a,0,b}' as digits", `[${nested}]`)).toContain(
      `"digits":"${hugeOf(number)}"`,
    );
  });

  test('documents are answered with the digits that they hold', async () => {
    expect(compact(await run(`select '${document}'::json as doc`, '[]'))).toContain(`"doc":${document}`);
  });
});

test('a row is deleted by the very number that was given', async () => {
  await bySql('insert into big values ($1), ($2)', '[9007199254740994, 9007199254740995]');
  expect(await bySql('delete from big where id = $1 returning id', '[9007199254740995]')).toContain('9007199254740995');
});

test('a project graph takes and answers numbers with their digits', async () => {
  const insert = `mutation ($rows: [BigInsert!]!) { insertBig(rows: $rows) { rows { id amount doc } } }`;
  const row = `{"id":750727362669608961,"amount":0.1000000000000000055,"doc":${document}}`;
  const answered = await ofProject(insert, `{"rows":[${row}]}`);
  expect(hugeOf(answered)).toContain('"id":"750727362669608961","amount":"0.1000000000000000055"');
  for (const number of numbers) expect(answered).toContain(hugeOf(number));
  const literal = `{ big(where: { id: { eq: 750727362669608961 }, amount: { in: [0.1000000000000000055] }, doc: { contains: { in: { id: 750727362669608961 } } } }) { totalCount } }`;
  expect(await ofProject(literal)).toContain('"totalCount":1');
  const inside =
    'query ($id: JSON, $f: Float) { big(where: { doc: { contains: { in: { id: $id } } }, ratio: { neq: $f } }) { totalCount } }';
  expect(await ofProject(inside, '{"id":750727362669608961,"f":0.1000000000000000055}')).toContain('"totalCount":0');
  expect(await ofProject('{ big(where: { ratio: { isNull: false } }) { nodes { ratio } } }')).toContain('"ratio":');
});

test('rest_query reads and writes numbers with their digits', async () => {
  const written = await tool(
    'rest_query',
    `"table":"big","method":"POST","key_type":"service","body":{"id":750727362669608963,"doc":${document}}`,
  );
  expect(JSON.parse(written).result.isError, written).not.toBe(true);
  const { text } = JSON.parse(await tool('rest_query', '"table":"big","params":{"id":"eq.750727362669608963"}')).result
    .content[0];
  expect(compact(text)).toContain('"id":750727362669608963');
  expect(await tool('rest_query', '"table":"big","params":{"id":"eq.750727362669608963"}')).toMatch(
    /"structuredContent":.*750727362669608963/,
  );
});

test('the payload of an event keeps its digits, when it is told again as well', async () => {
  const path = `/projects/v1/${projectId}/events`;
  const event = `{"event_type":"order_paid","app_event_key":"a","payload":${document}}`;
  expect(compact(await post(path, event))).toContain(document);
  expect(compact(await post(path, event))).toContain(document);
  const { text } = await service.call(wallet, 'GET', path);
  expect(compact(text)).toContain(document);
  const replay = () =>
    service.call(key, 'POST', path, {
      body: `{"event_type":"order_sent","payload":${document}}`,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'digits' },
    });
  const first = await replay();
  expect(compact(first.text)).toContain(document);
  expect((await replay()).text).toBe(first.text);
});

describe('the SDK', () => {
  const connection = createClient({
    baseUrl: service.url,
    credential: projectKey({ key: project.serviceKey }),
  }).connection;
  const big = rest<{ id: number | string | bigint; amount?: unknown; doc?: unknown }>(connection, 'big', {
    admin: true,
  });

  test('reads and writes a number that JavaScript would round as a text of its digits', async () => {
    const [made] = await big.insert({
      id: 750727362669608965n,
      amount: '0.1000000000000000055',
      doc: { id: 9007199254740993n },
    });
    expect(made).toMatchObject({
      id: '750727362669608965',
      amount: '0.1000000000000000055',
      doc: { id: '9007199254740993' },
    });
    expect(await big.select({ where: { id: eq(made!.id) }, columns: 'id' })).toEqual([{ id: '750727362669608965' }]);
    expect(await big.insert({ id: 17, amount: 1.5 })).toMatchObject([{ id: 17, amount: 1.5 }]);
  });

  test('tells of a row by the digits of its key', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const seen: unknown[] = [];
    for await (const event of live(connection, { project: projectId, tables: ['big'] }, { signal })) {
      if (event.type === 'ready') await big.insert({ id: 750727362669608967n });
      if (event.type !== 'change') continue;
      seen.push(event.pk);
      stop.abort();
    }
    expect(seen).toEqual([[{ id: '750727362669608967' }]]);
  });
});

test('svc reads and writes numbers with their digits', async () => {
  await ada.svc('init');
  await ada.svc('org', 'create');
  await ada.svc('projects', 'provision', '--name', 'Shop');
  await ada.svc('projects', 'sql', 'create table big (id bigint primary key, doc jsonb)');
  const rows = (...words: string[]) => ada.svc('projects', 'rest', 'big', '--key', 'service', ...words);
  const row = `{"id":750727362669608961,"doc":${document}}`;
  expect(compact((await rows('--body', row)).stdout)).toContain('"id":750727362669608961');
  const ran = await ada.svc(
    'projects',
    'sql',
    'select id, doc from big where id = $1',
    '--params',
    '[750727362669608961]',
  );
  expect(compact(ran.stdout)).toContain('"id":"750727362669608961"');
  for (const number of numbers) expect(ran.stdout).toContain(hugeOf(number));
});

test('a field that takes a double rounds what no double holds', async () => {
  const body = '{"limits":{"reads_per_second":1000.00000000000000001}}';
  const path = `/orgs/v1/admin/${project.orgId}/limits`;
  expect(await post(path, body, service.actors.admin)).toContain('"reads_per_second":1000');
});
