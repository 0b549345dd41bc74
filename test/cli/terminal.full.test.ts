import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { asProcess, terminal } from './command.ts';

const service = await startService();
const ada = await terminal(service.url, asProcess());
afterAll(async () => {
  await ada.remove();
  await service.stop();
});

let org: string;
let project: string;
beforeAll(async () => {
  expect((await ada.svc('org', 'list', '--human')).stderr.split('\n').slice(0, 3)).toEqual([
    'svc: This needs a credential. (AUTH_REQUIRED)',
    '  This machine has no wallet and no session to sign in with.',
    '  svc init: It makes a wallet to sign in with.',
  ]);
  expect((await ada.svc('init', '--human')).stdout).toMatch(/^ *prepaid credit +-$/m);
});

const shown = async (...words: string[]) => (await ada.svc(...words, '--human')).stdout.trimEnd();

test('an empty list names the command that fills it', async () => {
  expect(await shown('org', 'list')).toBe('No organizations yet. Create one: svc org create --name "My team"');
  expect(await shown('projects', 'list')).toBe('No projects yet. Create one: svc projects provision --name Notes');
});

test('what was made is meant from then on, and so is the only organization', async () => {
  org = (await ada.svc('org', 'create', '--name', 'Team')).json.org_id;
  project = (await ada.svc('projects', 'provision', '--name', 'Notes')).json.project_id;
  for (const isInUse of [true, false]) {
    if (!isInUse) await ada.svc('org', 'clear');
    expect((await ada.svc('org', 'get')).json.org_id).toBe(org);
    for (const words of [['org', 'member', 'list'], ['contacts', 'list'], ['events'], ['rooms', 'list']])
      expect(await ada.svc(...words)).toMatchObject({ code: 0 });
    expect((await ada.svc('messages', 'list', '--room', 'standup')).json.messages).toEqual([]);
  }
  expect(await shown('contacts', 'list')).toBe('No escalation contacts yet. Add one: svc contacts add <email>');
  // Of several the project in use says which.
  await ada.svc('org', 'create', '--name', 'Other');
  await ada.svc('org', 'clear');
  expect((await ada.svc('messages', 'list', '--room', 'standup')).code).toBe(0);
  expect((await ada.svc('org', 'get')).error.code).toBe('ORG_REQUIRED');
  await ada.svc('org', 'use', org);
});

test('a mistake in SQL is marked in its line, in the words of PostgreSQL', async () => {
  expect(await shown('projects', 'sql', 'create table notes (id int primary key, text text, doc jsonb)')).toBe('Done.');
  const refused = await ada.svc('projects', 'sql', 'select id,\n  txt from notes', '--human');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr.split('\n').slice(0, 6)).toEqual([
    'svc: column "txt" does not exist (SQL_ERROR, 42703)',
    '  at line 2, column 3',
    '  2 |   txt from notes',
    '    |   ^',
    '  Hint: Perhaps you meant to reference the column "notes.text".',
    '  Correct the SQL and send it again.',
  ]);
  const twice = await ada.svc('projects', 'sql', 'insert into notes values (1), (1)', '--human');
  expect(twice.stderr).toContain('  Detail: Key (id)=(1) already exists.\n');
  const { error } = await ada.svc('projects', 'sql', 'select txt from notes');
  expect(error).toMatchObject({
    message: 'column "txt" does not exist',
    details: { location: { line: 1, column: 8 } },
  });
  expect(JSON.stringify(error)).not.toContain('select txt');
});

test('rows are a table under their own names, with documents whole, and nothing beside it', async () => {
  const insert = `insert into notes select n, 'note ' || n, '{"why":"because a document is wider than a cell may be"}' from generate_series(1, 2) n`;
  expect(await shown('projects', 'sql', insert)).toBe('Done: 2 rows.');
  expect(await shown('projects', 'sql', 'select id, text, text as my_text, doc from notes order by id')).toBe(
    [
      'id  text    my_text  doc',
      '--  ------  -------  -----------------------------------------------',
      '1   note 1  note 1   {"why":"because a document is wider than a cell',
      '                     may be"}',
      '2   note 2  note 2   {"why":"because a document is wider than a cell',
      '                     may be"}',
      '(2 rows)',
    ].join('\n'),
  );
  expect(await shown('projects', 'sql', 'select 1 as id, 2 as id')).toMatch(/^id +id_2\n.*1 +2\n\(1 row\)$/s);
  expect(await shown('projects', 'sql', 'select id, text from notes where false')).toBe('id  text\n(0 rows)');
  const wide = await shown('projects', 'sql', `select repeat('x', 400) as long, 1 as one`);
  expect(wide).toBe(`row 1\n  long  ${'x'.repeat(400)}\n  one   1\n(1 row)`);
});

test('a list says how to read on only where there is more', async () => {
  for (const text of ['one', 'two', 'three']) await ada.svc('messages', 'send', text);
  const page = await shown('org', 'audit', '--limit', '2');
  const more = page.split('\n').at(-1)!;
  expect(more).toMatch(/^More: svc org audit --limit 2 --before \S+$/);
  const next = await shown(...more.replace('More: svc ', '').split(' '));
  expect(next).not.toBe(page);
  const all = await shown('org', 'audit', '--limit', '200');
  expect(all).not.toMatch(/More:|has more +(true|false)|next cursor/);
});

test('an escalation that reaches no one says so first, with the command that mends it', async () => {
  const raised = await ada.svc('escalations', 'raise', 'Payments fail', '--human');
  expect(raised.code).toBe(0);
  expect(raised.stdout.split('\n').slice(0, 2)).toEqual([
    'No one was paged: the organization has no escalation contact.',
    'Add one: svc contacts add <email>',
  ]);
  await ada.svc('contacts', 'add', 'ada@example.com');
  expect(await shown('escalations', 'raise', 'Payments fail again')).not.toContain('No one was paged');
});

test('an id that is not the caller’s names both causes, and an address that does not answer is named', async () => {
  for (const [words, list] of [
    [['projects', 'get', `${project.slice(0, -1)}0`], 'svc projects list'],
    [['org', 'get', crypto.randomUUID()], 'svc org list'],
  ] as const) {
    const { error } = await ada.svc(...words);
    expect(error).toMatchObject({ code: 'NOT_AUTHORIZED', hint: expect.stringMatching(/mistyped, or belong to/) });
    expect(error.next_actions).toMatchObject([{ type: 'run_command', command: list }]);
  }
  const { error } = await ada.svc('org', 'list', '--api-base', 'http://127.0.0.1:2');
  expect(error.message).toMatch(/^The gateway at http:\/\/127\.0\.0\.1:2 was not reached: connect ECONNREFUSED/);
  expect(error.hint).toContain('svc dev');
});

test('doctor counts its warnings', async () => {
  const { stdout, code } = await ada.svc('doctor', '--human');
  const warnings = stdout.match(/^warning /gm)?.length ?? 0;
  expect(code).toBe(0);
  expect(warnings).toBeGreaterThan(0);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${warnings} warning${warnings === 1 ? '' : 's'}.`);
  expect((await ada.svc('doctor', '--only', 'projects', '--human')).stdout).toMatch(/\nNo problems\.\n$/);
});

test('in a pipe a command prints JSON, unless it is told otherwise', async () => {
  expect((await ada.svc('org', 'get')).json.org_id).toBe(org);
  expect((await ada.with({ SVC_OUTPUT: 'human' })('org', 'get')).json).toBeUndefined();
  expect((await ada.with({ SVC_OUTPUT: 'human' })('org', 'get', '--json')).json.org_id).toBe(org);
  expect((await ada.with({ SVC_OUTPUT: 'json' })('org', 'get', '--human')).json).toBeUndefined();
});

// A terminal is made by util-linux's script, which npm cannot install; systems without it have no other that needs no compiler.
const hasScript = /util-linux/.test(String(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout));
describe.runIf(hasScript)('on a terminal', () => {
  test.each([80, 120])('of %d columns, a command writes for people and no wider', async (columns) => {
    const { stdout, code } = await ada.onTerminal(columns)('projects', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^id +name +tier/);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(stdout.split('\n')[0]!.includes('created at')).toBe(columns === 120);
  });

  test('a refusal is for people, too', async () => {
    const { stdout, code } = await ada.onTerminal(80)('projects', 'sql', 'selekt 1');
    expect(code).toBe(1);
    expect(stdout).toContain('  1 | selekt 1\n    | ^\n');
  });

  test('JSON is asked for by a flag, or by the environment, over which a flag wins', async () => {
    const inJson = ada.onTerminal(80, { SVC_OUTPUT: 'json' });
    expect((await ada.onTerminal(80)('org', 'get', '--json')).json.org_id).toBe(org);
    expect((await inJson('org', 'get')).json.org_id).toBe(org);
    expect((await inJson('org', 'get', '--human')).json).toBeUndefined();
  });
});
