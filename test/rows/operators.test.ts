import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from './rows-project.ts';

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table things (
     id int primary key, name text, done boolean, tags text[], span int4range, words tsvector, prose text, data jsonb);
   insert into things values
     (1, 'Ada', true, '{a,b}', '[1,5)', to_tsvector('english', 'the quick fox'), 'quick foxes run', '{"k": {"n": 1}}'),
     (2, 'Bob, jr', false, '{b,c}', '[5,9)', to_tsvector('english', 'a lazy dog'), 'lazy dogs sleep', '{"k": {"n": 2}, "list": [3, 4]}'),
     (3, 'a"d\\a', null, '{}', '[9,12)', null, null, null),
     (4, null, null, null, null, null, null, null);`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const ids = async (filter: string) => {
  const { status, body } = await project.admin<{ id: number }[]>('GET', `things?select=id&order=id&${filter}`);
  return status === 200 ? body.map(({ id }) => id) : [status, body];
};

test.each([
  ['eq', 'id=eq.2', [2]],
  ['neq', 'id=neq.2', [1, 3, 4]],
  ['gt', 'id=gt.2', [3, 4]],
  ['gte', 'id=gte.2', [2, 3, 4]],
  ['lt', 'id=lt.2', [1]],
  ['lte', 'id=lte.2', [1, 2]],
  ['like with a star', 'name=like.A*', [1]],
  ['like with a percent sign', 'name=like.%25b, j%25', [2]],
  ['ilike', 'name=ilike.a*', [1, 3]],
  ['match', 'name=match.^B', [2]],
  ['imatch', 'name=imatch.^b', [2]],
  ['isdistinct', 'name=isdistinct.Ada', [2, 3, 4]],
  ['in', 'id=in.(1,3)', [1, 3]],
  ['in with a comma in quotes', 'name=in.("Bob, jr",Ada)', [1, 2]],
  ['in with escapes in quotes', 'name=in.("a\\"d\\\\a")', [3]],
  ['in of nothing', 'id=in.()', []],
  ['is null', 'name=is.null', [4]],
  ['is not_null', 'name=is.not_null', [1, 2, 3]],
  ['is true', 'done=is.true', [1]],
  ['is false', 'done=is.false', [2]],
  ['is unknown', 'done=is.unknown', [3, 4]],
  ['is in capitals', 'done=is.TRUE', [1]],
  ['cs of an array', 'tags=cs.{b}', [1, 2]],
  ['cs of a document', 'data=cs.{"k":{"n":1}}', [1]],
  ['cd', 'tags=cd.{a,b}', [1, 3]],
  ['ov', 'tags=ov.{a,c}', [1, 2]],
  ['sl', 'span=sl.[5,9)', [1]],
  ['sr', 'span=sr.[5,9)', [3]],
  ['nxr', 'span=nxr.[1,9)', [1, 2]],
  ['nxl', 'span=nxl.[5,9)', [2, 3]],
  ['adj', 'span=adj.[5,9)', [1, 3]],
  ['fts', 'words=fts.fox', [1]],
  ['fts with a configuration', 'words=fts(english).dogs', [2]],
  ['fts of text', 'prose=fts(english).fox', [1]],
  ['plfts', 'words=plfts(english).the lazy dogs', [2]],
  ['phfts', 'words=phfts(english).quick fox', [1]],
  ['wfts', 'words=wfts(english).fox or dog', [1, 2]],
  ['eq of any', 'id=eq(any).{1,4}', [1, 4]],
  ['gt of all', 'id=gt(all).{1,3}', [4]],
  ['like of any', 'name=like(any).{A*,B*}', [1, 2]],
  ['like of all', 'name=like(all).{*A*,*d*}', [1]],
  ['negation', 'id=not.eq.2', [1, 3, 4]],
  ['negated in', 'id=not.in.(1,2,3)', [4]],
  ['negated is', 'name=not.is.null', [1, 2, 3]],
  ['several, all of which hold', 'id=gt.1&id=lt.4', [2, 3]],
  ['into a document', 'data->k->>n=eq.2', [2]],
  ['into a list of a document', 'data->list->>1=eq.4', [2]],
  ['into a list from its end', 'data->list->>-2=eq.3', [2]],
  ['into an array', 'tags->>0=eq.b', [2]],
])('%s', async (_operator, filter, expected) => {
  expect(await ids(filter)).toEqual(expected);
});

test.each([
  ['or', 'or=(id.eq.1,id.eq.3)', [1, 3]],
  ['and', 'and=(id.gt.1,id.lt.4)', [2, 3]],
  ['negated or', 'not.or=(id.eq.1,id.eq.3)', [2, 4]],
  ['groups inside groups', 'or=(id.eq.4,and(id.gt.1,not.or(id.eq.3,id.eq.4)))', [2, 4]],
  ['quoted values', 'or=(name.eq."Bob, jr",id.eq.1)', [1, 2]],
  ['lists', 'or=(id.in.(1,2),id.eq.4)', [1, 2, 4]],
  ['arrays', 'or=(tags.cs.{a,b},tags.eq.{})', [1, 3]],
  ['negated members', 'and=(id.not.eq.1,name.not.is.null)', [2, 3]],
  ['members of documents', 'or=(data->k->>n.eq.1,id.eq.4)', [1, 4]],
  ['blanks between them', 'or=( id.eq.1 , and( id.eq.2 , done.is.false ) )', [1, 2]],
])('logic: %s', async (_case, filter, expected) => {
  expect(await ids(filter)).toEqual(expected);
});

test.each([
  ['an unknown operator', 'id=equals.1', 'PGRST100'],
  ['no operator', 'id=1', 'PGRST100'],
  ['a truth that is none', 'done=is.maybe', 'PGRST100'],
  ['a list without brackets', 'id=in.1,2', 'PGRST100'],
  ['an empty group', 'or=()', 'PGRST100'],
  ['a group that does not end', 'or=(id.eq.1', 'PGRST100'],
  ['a quantifier that is none', 'id=eq(some).{1}', 'PGRST100'],
  ['a value that is no number', 'id=eq.one', '22P02'],
  ['a column that is not there', 'nothing=eq.1', '42703'],
  ['a pattern that is none', 'name=match.(', '2201B'],
])('%s is refused with 400 in the dialect', async (_case, filter, code) => {
  expect(await project.admin('GET', `things?${filter}`)).toMatchObject({
    status: 400,
    body: { code, message: expect.any(String) },
  });
});

test('what cannot be read is pointed at', async () => {
  const broken = async (path: string) => (await project.admin<Record<string, unknown>>('GET', path)).body;
  expect(await broken('things?id=1')).toEqual({
    code: 'PGRST100',
    message: '"failed to parse filter (1)" (line 1, column 1)',
    details: 'unexpected "1" expecting "not" or operator (eq, gt, ...)',
    hint: null,
  });
  expect(await broken('things?or=()')).toEqual({
    code: 'PGRST100',
    message: '"failed to parse logic tree (())" (line 1, column 4)',
    details:
      'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
    hint: null,
  });
  expect(await broken('things?order=id.asc.nullslasttt')).toMatchObject({
    message: '"failed to parse order (id.asc.nullslasttt)" (line 1, column 17)',
    details: `unexpected 't' expecting "," or end of input`,
  });
});

test('columns and tables with any characters in their names can be asked for', async () => {
  await project.sql(`create table "we""ird; -- täble" ("a b" int, "c""d" int, "e.f" int);
    insert into "we""ird; -- täble" values (1, 2, 3); grant select on "we""ird; -- täble" to service_role`);
  const path = encodeURIComponent('we"ird; -- täble');
  const select = encodeURIComponent('a b,"c\\"d","e.f"');
  const answer = await project.admin('GET', `${path}?select=${select}&a b=eq.1&"c\\"d"=eq.2&"e.f"=eq.3`);
  expect(answer).toMatchObject({ status: 200, body: [{ 'a b': 1, 'c"d': 2, 'e.f': 3 }] });
});
