import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { type Any, becomes, projectWith } from './stage.ts';

const service = await startService();
afterAll(() => service.stop());

const owned = await projectWith(service);
const runSql = async (text: string): Promise<Any> => {
  const {
    status,
    body,
    text: said,
  } = await service.call<Any>(owned.wallet, 'POST', `/projects/v1/admin/${owned.projectId}/sql`, {
    body: { sql: text },
  });
  if (status !== 200) throw new Error(said);
  return body.rows;
};
await runSql(`create table people (id int primary key, name text not null, born date, tags jsonb)`);

const count = async () => Number((await runSql('select count(*) as n from people'))[0].n);
const reportOf = async (id: string) => JSON.parse((await owned.artifact(id, 'report.json')).text);

/** Imports a text, and tells what became of it. */
async function imported(inline: string, more: object = {}, status = 'completed') {
  const id = await owned.begin('table_import', { table: 'people', format: 'csv', inline, ...more });
  const job = await becomes(owned, id, status);
  return { id, job, report: await reportOf(id) };
}

test('CSV is imported: quotations, empty values and ends of lines of either kind', async () => {
  const { report } = await imported(
    '\ufeffname,id,born\r\n"Ada, \\ ""Countess""",1,1815-12-10\r\n"two\nlines",2,\n\n"",3,\n',
  );
  expect(report).toEqual({
    table: 'public.people',
    format: 'csv',
    columns: ['name', 'id', 'born'],
    committed: true,
    rows_imported: 3,
    records_read: 3,
    lines_rejected: 0,
    rejected: [],
  });
  expect(await runSql('select id, name, born from people order by id')).toEqual([
    { id: 1, name: 'Ada, \\ "Countess"', born: '1815-12-10' },
    { id: 2, name: 'two\nlines', born: null },
    { id: 3, name: '', born: null },
  ]);
});

test('NDJSON is imported: members by their names, JSON as JSON, and numbers digit by digit', async () => {
  const lines = ['{"id":10,"name":"x","tags":{"n":12345678901234567890,"t":"\\t"}}', '', '{"name":"y","id":11}'];
  const { report } = await imported(lines.join('\n'), { format: 'ndjson', columns: ['id', 'name', 'tags'] });
  expect(report).toMatchObject({ columns: ['id', 'name', 'tags'], rows_imported: 2 });
  expect(await runSql(`select tags->>'n' as n, tags->>'t' as t from people where id = 10`)).toEqual([
    { n: '12345678901234567890', t: '\t' },
  ]);
});

test.each([
  ['too few values', 'id,name\n100,a\n101\n', 3, /1 value for 2 columns/],
  ['a value of another type', 'id,name\n100,a\nmany,b\n', 3, /invalid input syntax/],
  ['a key that is there', 'id,name\n100,a\n1,b\n', 3, /duplicate key/],
  ['what must not be null', 'id,name\n100,a\n101,\n', 3, /not-null|null value/],
  ['a quotation without an end', 'id,name\n100,a\n101,"b\n', 3, /quotation/],
  ['text behind a quotation', 'id,name\n100,"a"b\n', 2, /between a quotation/],
])('nothing is imported for %s, and the report says where', async (_name, text, line, reason) => {
  const before = await count();
  const { job, report } = await imported(text, {}, 'failed');
  expect(job.error.code).toBe('TABLE_IMPORT_REJECTED');
  expect(report).toMatchObject({ committed: false, rows_imported: 0, lines_rejected: 1 });
  expect(report.rejected).toEqual([{ line, reason: expect.stringMatching(reason) }]);
  expect(await count()).toBe(before);
});

test('lines at fault are left out where that is asked for, and told', async () => {
  const text = 'id,name\n200,a\nmany,b\n201\n202,"two\nlines"\n203,c,d\nfew,e\n204,f\n';
  const { report } = await imported(text, { on_error: 'skip' });
  expect(report).toMatchObject({ committed: true, rows_imported: 3, records_read: 7, lines_rejected: 4 });
  expect(report.rejected.map(({ line }: Any) => line).sort()).toEqual([3, 4, 7, 8]);
  expect(await runSql('select id from people where id between 200 and 299 order by id')).toEqual([
    { id: 200 },
    { id: 202 },
    { id: 204 },
  ]);
});

test('a file of an asset with bytes that are no text is refused line by line', async () => {
  const bytes = Buffer.concat([
    Buffer.from('id,name\n300,good\n301,'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('\n302,nul\0\n303,'),
    Buffer.alloc(3 * 1024 * 1024, 'x'),
    Buffer.from('\n304,good\n'),
  ]);
  await owned.putAsset('people.csv', 'text/csv', bytes);
  const given = { table: 'people', format: 'csv', asset_key: 'people.csv', on_error: 'skip' };
  const id = await owned.begin('table_import', given);
  await becomes(owned, id, 'completed');
  const report = await reportOf(id);
  expect(report).toMatchObject({ rows_imported: 2, records_read: 5, lines_rejected: 3 });
  expect(report.rejected).toEqual([
    { line: 3, reason: 'It is no UTF-8.' },
    { line: 4, reason: 'It holds a NUL.' },
    { line: 5, reason: expect.stringContaining('longer than') },
  ]);
});

test.each([
  ['no JSON', '{"id":400,"name":"a"}\n{"id":', 2],
  ['no object', '{"id":400,"name":"a"}\n[1]', 2],
  ['a member that is no column', '{"id":400,"name":"a"}\n{"id":401,"name":"b","age":1}', 2],
  ['a NUL', '{"id":400,"name":"a"}\n{"id":401,"name":"\\u0000"}', 2],
  ['half of a character', '{"id":400,"name":"a"}\n{"id":401,"name":"\\ud800"}', 2],
])('NDJSON with %s imports nothing', async (_name, text, line) => {
  const { report } = await imported(text, { format: 'ndjson' }, 'failed');
  expect(report.rejected).toEqual([{ line, reason: expect.any(String) }]);
  expect(await runSql('select from people where id between 400 and 499')).toEqual([]);
});

test('a table, a column or an asset that is not there fails the job, in words', async () => {
  const table = await imported('id\n1\n', { table: 'nowhere' }, 'failed');
  expect(table.job.error).toMatchObject({ code: 'TABLE_IMPORT_REJECTED', message: expect.stringContaining('nowhere') });
  const column = await imported('id,"""; drop table people; --"\n1,2\n', {}, 'failed');
  expect(column.job.error.message).toContain('column');
  const id = await owned.begin('table_import', { table: 'people', format: 'csv', asset_key: 'nothing.csv' });
  expect((await becomes(owned, id, 'failed')).error.code).toBe('ASSET_NOT_FOUND');
  const foreign = await imported('id\n1\n', { schema: '_svc', table: 'sql_runs' }, 'failed');
  expect(foreign.job.error.message).toContain('permission denied');
});

test('an attempt that follows one that was committed imports nothing more, and has its report', async () => {
  const { id, report } = await imported('id,name\n500,once\n');
  // As if the node had been lost when the rows were in, and nothing was written of that.
  await service.control.sql('delete from job_artifacts where job_id = $1', [id]);
  await service.control.sql(
    `update managed_jobs set status = 'running', completed_at = null, lease = null, due_at = now(), error = null where id = $1`,
    [id],
  );
  const job = await becomes(owned, id, 'completed');
  expect(job.metadata).toMatchObject({ attempt_count: 2, interrupt_count: 1 });
  expect(await reportOf(id)).toEqual(report);
  expect(await runSql('select id from people where id = 500')).toHaveLength(1);
});
