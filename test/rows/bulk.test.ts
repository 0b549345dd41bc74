import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { scanRows } from '../../engines/rows/request/scan-rows.ts';
import { startService } from '../helpers/service.ts';
import { prefer, rowsProject } from './rows-project.ts';

const service = await startService();
const project = await rowsProject(
  service,
  `create table notes (id int primary key, text varchar(200), size numeric(30, 2), big bigint, done boolean default true,
     at timestamptz, day date, ref uuid, raw bytea, ratio real, twice int generated always as (id * 2) stored);
   create table documents (id int primary key, content jsonb, words text[]);
   create table owned (id int, kind text);
   alter table owned enable row level security;
   create policy open on owned to anon using (kind = 'open') with check (kind = 'open');
   grant select, insert on owned to anon;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});
beforeEach(() => project.sql('truncate notes, documents, owned'));

const { admin, open } = project;
const many = 3_000;
const list = <Row>(make: (id: number) => Row) => Array.from({ length: many }, (_, id) => make(id));
const stored = async (table: string) => {
  const [row] = await project.sql<{ rows: number; sum: string }>(
    `select count(*)::int as rows, sum(id)::text from ${table}`,
  );
  return row;
};
const all = { rows: many, sum: String((many * (many - 1)) / 2) };

const note = (id: number) => ({
  id,
  text: id % 7 === 0 ? null : `Note "${id}" \\ äöü \u{1f600}\n\t/`,
  size: id + 0.25,
  big: id,
  done: id % 2 === 0,
  at: '2026-01-01T00:00:00Z',
  day: '2026-01-01',
  ref: '00000000-0000-4000-8000-00000000000a',
  raw: '\\xff00',
  ratio: 1.5e-3,
});

test('many rows in one request are kept as few are, value by value', async () => {
  const rows = list(note);
  expect((await admin('POST', 'notes', { body: rows })).status).toBe(201);
  const few = await project.sql('select * from notes where id in (0, 1, 7, 2999) order by id');
  await project.sql('truncate notes');
  const asFew = [0, 1, 7, 2999].map((id) => rows[id]);
  expect((await admin('POST', 'notes', { body: asFew })).status).toBe(201);
  expect(few).toEqual(await project.sql('select * from notes order by id'));
});

test('they are one statement, and none of them is given back unless asked for', async () => {
  const sent = await service.statements(() => admin('POST', 'notes', { body: list(note) }));
  const inserts = sent.filter((text) => text.includes('insert into "public"'));
  expect(inserts).toHaveLength(1);
  expect(inserts[0]).not.toMatch(/returning|row_to_json|json_agg/);
  await project.sql('truncate notes');
  const full = await admin<unknown[]>('POST', 'notes?select=id,twice', {
    body: list(note),
    ...prefer('return=representation'),
  });
  expect([full.status, full.body.length, full.body[5]]).toEqual([201, many, { id: 5, twice: 10 }]);
});

test('they are counted when that is asked for, and what a trigger says of the answer is in it', async () => {
  const counted = await admin('POST', 'notes', { body: list(note), ...prefer('count=exact') });
  expect([counted.status, counted.headers.get('content-range')]).toEqual([201, `*/${many}`]);
  await project.sql('truncate notes');
  await project.sql(`create function said() returns trigger language plpgsql as $$ begin
      perform set_config('response.headers', '[{"x-said": "' || new.id || '"}]', true); return new; end $$;
    create trigger says before insert on notes for each row execute function said()`);
  const hasSaid = async () => {
    const { status, headers } = await admin('POST', 'notes', { body: list(note) });
    await project.sql('truncate notes');
    return [status, headers.get('x-said')];
  };
  await expect.poll(hasSaid).toEqual([201, String(many - 1)]);
  await project.sql('drop function said cascade');
});

test('twenty requests at once never get each other’s rows, whichever of them fail', async () => {
  const size = 600;
  const body = (nth: number, fails: boolean) =>
    Array.from({ length: size }, (_, at) => ({
      id: nth * size + at,
      text: `${nth}-`.repeat(60).slice(0, 190),
      // The last row only, when all of it has been sent.
      day: fails && at === size - 1 ? 'never' : '2026-01-01',
    }));
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => admin('POST', 'notes', { body: body(nth, (nth + round) % 4 === 0) })),
    );
    for (const [nth, { status }] of answers.entries()) expect(status).toBe((nth + round) % 4 === 0 ? 400 : 201);
    const found = await project.sql<{ nth: number; rows: number; texts: string[] }>(
      `select id / ${size} as nth, count(*)::int as rows, array_agg(distinct text) as texts from notes group by 1 order by 1`,
    );
    expect(found).toEqual(
      Array.from({ length: 20 }, (_, nth) => nth)
        .filter((nth) => (nth + round) % 4 !== 0)
        .map((nth) => ({ nth, rows: size, texts: [`${nth}-`.repeat(60).slice(0, 190)] })),
    );
    await project.sql('truncate notes');
  }
});

test('numbers keep all their digits', async () => {
  const rows = list((id) => `{"id":${id},"size":1234567890123456789012345678.25,"big":9223372036854775807}`);
  expect((await admin('POST', 'notes', { body: `[${rows.join(',\n ')}]` })).status).toBe(201);
  expect(await project.sql('select distinct size::text, big::text from notes')).toEqual([
    { size: '1234567890123456789012345678.25', big: '9223372036854775807' },
  ]);
});

test('documents and lists, members in another order and defaults go in as well', async () => {
  const documents = list((id) => ({ id, content: { nested: ['text', id] }, words: ['a', 'b'] }));
  expect((await admin('POST', 'documents', { body: documents })).status).toBe(201);
  expect(await stored('documents')).toEqual(all);
  await project.sql('truncate documents');
  // A text in a document stays one.
  expect((await admin('POST', 'documents', { body: list((id) => ({ id, content: '{"a":1}' })) })).status).toBe(201);
  expect(await project.sql('select distinct jsonb_typeof(content) as type from documents')).toEqual([
    { type: 'string' },
  ]);
  const mixed = list((id) => (id % 2 === 0 ? { id, text: 'a' } : { text: 'a', id }));
  expect((await admin('POST', 'notes', { body: mixed })).status).toBe(201);
  expect(await stored('notes')).toEqual(all);
  await project.sql('truncate notes');
  const path = 'notes?columns=id,done';
  expect((await admin('POST', path, { body: list((id) => ({ id })), ...prefer('missing=default') })).status).toBe(201);
  expect(await project.sql('select distinct done from notes')).toEqual([{ done: true }]);
});

test('an upsert of many rows changes those that are there', async () => {
  await project.sql("insert into notes (id, text) values (1, 'old')");
  const body = list((id) => ({ id, text: `new ${id}` }));
  expect((await admin('POST', 'notes', { body, ...prefer('resolution=ignore-duplicates') })).status).toBe(201);
  expect(await project.sql('select text from notes where id = 1')).toEqual([{ text: 'old' }]);
  expect((await admin('POST', 'notes', { body, ...prefer('resolution=merge-duplicates') })).status).toBe(200);
  expect(await project.sql('select text from notes where id = 1')).toEqual([{ text: 'new 1' }]);
});

test('row security holds for each of them, and one that it refuses undoes all', async () => {
  const kind = (last: string) => list((id) => ({ id, kind: id === many - 1 ? last : 'open' }));
  expect(await open('POST', 'owned', { body: kind('secret') })).toMatchObject({ status: 401, body: { code: '42501' } });
  expect(await stored('owned')).toEqual({ rows: 0, sum: null });
  expect((await open('POST', 'owned', { body: kind('open') })).status).toBe(201);
  expect(await stored('owned')).toEqual(all);
});

const last = (value: string) => `[${list((id) => (id === many - 1 ? value : `{"id":${id},"text":"x"}`)).join(',')}]`;

test.each([
  ['other members', last('{"id":9999,"name":"x"}'), 400, 'PGRST102'],
  ['a member less', last('{"id":9999}'), 400, 'PGRST102'],
  ['a member more', last('{"id":9999,"text":"x","size":1}'), 400, 'PGRST102'],
  ['no members', last('{}'), 400, 'PGRST102'],
  ['no row', last('null'), 400, 'PGRST102'],
  ['no JSON', last('{"id":01,"text":"x"}'), 400, 'PGRST102'],
  ['a text without an end', last('{"id":9999,"text":"x}'), 400, 'PGRST102'],
  ['no end', last('{"id":9999,"text":"x"}').slice(0, -1), 400, 'PGRST102'],
  ['something behind the end', `${last('{"id":9999,"text":"x"}')},`, 400, 'PGRST102'],
  ['a value of another type', last('{"id":"x","text":"x"}'), 400, '22P02'],
  ['a key that is taken', last('{"id":1,"text":"x"}'), 409, '23505'],
  ['a text that is too long', last(`{"id":9999,"text":"${'x'.repeat(201)}"}`), 400, '22001'],
  ['a NUL character', last('{"id":9999,"text":"\\u0000"}'), 400, '22P05'],
  ['half a character', last('{"id":9999,"text":"\\ud800"}'), 400, '22P02'],
  ['bytes that are no text', Buffer.from(last('{"id":9999,"text":"\u00ff"}'), 'latin1'), 400, 'PGRST102'],
])('a last row of %s is refused, and nothing is kept', async (_case, body, status, code) => {
  expect(await admin('POST', 'notes', { body })).toMatchObject({ status, body: { code } });
  expect(await stored('notes')).toEqual({ rows: 0, sum: null });
});

/** What a list in PostgreSQL's binary form holds. */
function elements(list: Buffer): (string | null)[] {
  const found: (string | null)[] = [];
  for (let at = 20; at < list.length; ) {
    const length = list.readInt32BE(at);
    at += 4;
    found.push(length < 0 ? null : list.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  expect(list.readInt32BE(12)).toBe(found.length);
  return found;
}

test('whatever is scanned is JSON, and has the values that JSON has', () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
  const keys = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 });
  const rows = keys.chain((names) =>
    fc.array(fc.tuple(...names.map(() => value)), { minLength: 1, maxLength: 6 }).map((lists) => ({ names, lists })),
  );
  const written = (one: unknown) => (typeof one === 'string' ? one : one === null ? null : JSON.stringify(one));
  fc.assert(
    fc.property(rows, fc.constantFrom('', ' ', '\n\t'), ({ names, lists }, blank) => {
      const members = (one: readonly unknown[]) =>
        names.map((name, at) => `${JSON.stringify(name)}${blank}:${blank}${JSON.stringify(one[at])}`).join(`${blank},`);
      const text = `${blank}[${lists.map((one) => `{${blank}${members(one)}${blank}}`).join(`,${blank}`)}]${blank}`;
      const scanned = scanRows(Buffer.from(text));
      const texts = lists.flat().filter((one) => typeof one === 'string');
      const isPlain = texts.every((one) => one.isWellFormed() && !one.includes('\0'));
      const hasEscapes = names.some((name) => JSON.stringify(name) !== `"${name}"`);
      expect(scanned === undefined).toBe(!isPlain || hasEscapes);
      if (scanned === undefined) return;
      expect([scanned.keys, scanned.count]).toEqual([names, lists.length]);
      for (const [at, name] of names.entries())
        expect(elements(scanned.listOf(name, 'text').bytes)).toEqual(
          lists.map((one) => written(JSON.parse(JSON.stringify(one[at])))),
        );
    }),
    { numRuns: 500 },
  );
});

test('nothing is scanned that is no JSON', () => {
  const pieces = fc.constantFrom(
    ...[
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"',
      '\\',
      '"a"',
      '"b"',
      '1',
      '-',
      '0',
      '.',
      'e',
      '+',
      'true',
      'nul',
      'null',
      ' ',
      '\n',
    ],
    ...['{"a":1}', '{"a":"x"}', '\\u00', '\0', 'é'],
  );
  const broken = fc.tuple(fc.array(pieces, { maxLength: 6 }), fc.nat(60)).map(([more, at]) => {
    const text = '[{"a":1,"b":"x\\n"},{"a":-0.5e+3,"b":null}]';
    return text.slice(0, at) + more.join('') + text.slice(at + more.length);
  });
  fc.assert(
    fc.property(
      fc.oneof(
        broken,
        fc.array(pieces, { maxLength: 14 }).map((all) => `[${all.join('')}]`),
      ),
      (text) => {
        if (scanRows(Buffer.from(text)) !== undefined) expect(() => JSON.parse(text)).not.toThrow();
      },
    ),
    { numRuns: 5_000 },
  );
});
