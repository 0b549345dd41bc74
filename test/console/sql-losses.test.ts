import { expect, test } from 'vitest';
import { lossesOf } from '../../clients/console/src/pages/sql/losses.ts';

test.each<[sql: string, ...losses: string[]]>([
  ['drop table notes', 'Deletes the table notes with all its rows.'],
  [
    'DROP TABLE IF EXISTS public."My notes", b CASCADE;',
    'Deletes the table public."My notes", b with all its rows, and everything that depends on it.',
  ],
  ['drop materialized view if exists m', 'Deletes the materialized view m.'],
  ['drop function add(int, int), sub', 'Deletes the function add, sub.'],
  ['drop index concurrently if exists i', 'Deletes the index i.'],
  ['truncate notes', 'Deletes all rows of notes.'],
  ['truncate table only a, only b restart identity', 'Deletes all rows of a, b.'],
  ['delete from notes', 'Deletes all rows of notes.'],
  ['delete from only public.notes returning *', 'Deletes all rows of public.notes.'],
  ['delete from a using b', 'Deletes all rows of a.'],
  ['update notes set done = true', 'Changes all rows of notes.'],
  ['update notes set body = (select body from old where old.id = notes.id)', 'Changes all rows of notes.'],
  ['alter table notes drop column body', 'Deletes the column body of notes with all its values.'],
  [
    'alter table if exists only notes drop if exists body cascade',
    'Deletes the column body of notes with all its values.',
  ],
  [
    'alter table notes add a int, drop b, drop constraint c',
    'Deletes the column b of notes with all its values.',
    'Removes the constraint c of notes.',
  ],
  // Several, each told once, whatever is said around them.
  [
    'select 1; drop table a; drop table a; truncate b',
    'Deletes the table a with all its rows.',
    'Deletes all rows of b.',
  ],
  ['begin; delete from a; commit', 'Deletes all rows of a.'],
  ['/* where */ delete /* a /* nested */ where */ from -- where\n notes', 'Deletes all rows of notes.'],
  ['delete from notes returning \'where\', " where "', 'Deletes all rows of notes.'],
  ["select ';', e'\\';', $$;$$, $a$ ; $$ $a$; drop table x", 'Deletes the table x with all its rows.'],
  // Inside of other statements.
  ['with gone as (delete from notes returning *) select * from gone where true', 'Deletes all rows of notes.'],
  ['with some as (select 1 where true) delete from notes', 'Deletes all rows of notes.'],
  ['with done as (update notes set a = 1 returning *) select 1 from done where true', 'Changes all rows of notes.'],
  ['explain analyze delete from notes', 'Deletes all rows of notes.'],
  ['merge into notes n using s on n.id = s.id when matched then delete', 'Deletes rows of notes.'],
  // Blocks.
  ['do $$ begin drop table notes; end $$', 'Deletes the table notes with all its rows.'],
  ["do language plpgsql 'begin if true then delete from notes; end if; end'", 'Deletes all rows of notes.'],
  ['do $x$ begin for i in 1..2 loop truncate notes; end loop; end $x$', 'Deletes all rows of notes.'],
  [
    "do $$ begin execute 'dr' || 'op table notes'; end $$",
    'Runs SQL that is only made as it runs, and may delete anything.',
  ],
])('asks before %s', (sql, ...losses) => {
  expect(lossesOf(sql)).toEqual(losses);
});

test.each([
  'select * from notes',
  "insert into notes (body) values ('drop table notes')",
  "select 'delete from notes' -- drop table notes",
  '/* drop table notes; */ select 1',
  'select $$ truncate notes $$',
  'select "drop", "delete" from notes',
  'delete from notes where id = 1',
  'delete from notes n using old o where o.id = n.id',
  'update notes set done = true where id = 1',
  'with a as (delete from notes where id = 1 returning *) select * from a',
  'select * from notes for update',
  'select * from notes for no key update',
  'insert into notes (id) values (1) on conflict (id) do update set body = excluded.body',
  'create table b (id int references a on delete cascade on update cascade)',
  'alter table b add foreign key (a) references a on delete set null on update cascade',
  'alter table notes alter column body drop not null, alter column body drop default',
  'create trigger t before delete or update on notes for each row execute function f()',
  'create function wipe() returns void language sql as $$ delete from notes $$',
  'create policy p on notes for delete using (true)',
  'merge into notes n using s on n.id = s.id when matched then update set body = s.body',
  'do $$ begin delete from notes where id = 1; perform 1; end $$',
  '',
  ';;',
])('runs at once: %s', (sql) => {
  expect(lossesOf(sql)).toEqual([]);
});

test.each([
  "select 'no end; drop table notes",
  'select $$ no end; drop table notes',
  'select /* no end; drop table notes',
  'select "no end; drop table notes',
])('text without an end is no statement, to PostgreSQL neither: %s', (sql) => {
  expect(lossesOf(sql)).toEqual([]);
});

test('a string of a mebibyte is read through', () => {
  const long = "x''".repeat(350_000);
  expect(lossesOf(`select '${long}', e'${long}\\n', "${long}"; drop table t`)).toHaveLength(1);
});

test('of very many only some are named', () => {
  const losses = lossesOf(Array.from({ length: 5_000 }, (_, at) => `drop table t${at};`).join('\n'));
  expect([losses.length, losses.at(-1)]).toEqual([11, 'And more.']);
});
