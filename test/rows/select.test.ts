import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { rowsProject } from './rows-project.ts';

const service = await startService();
const project = await rowsProject(
  service,
  `create table authors (id int primary key, name text not null, mentor int references authors);
   create table books (
     id int primary key, title text not null, author_id int not null references authors, editor_id int references authors,
     price numeric not null, info jsonb);
   create table covers (book_id int primary key references books, color text);
   create table tags (id int primary key, word text);
   create table book_tags (book_id int references books, tag_id int references tags, primary key (book_id, tag_id));
   create view titles as select id as title_id, title, author_id as writer from books;
   create table lonely (id int primary key);
   create function shout(authors) returns text language sql stable as 'select upper($1.name)';
   create function cheap(authors) returns setof books rows 10 language sql stable
     as 'select * from books where author_id = $1.id and price < 10';
   insert into authors values (1, 'Ada', null), (2, 'Bob', 1), (3, 'Cyd', 1);
   insert into books values
     (1, 'Alpha', 1, 2, 5, '{"pages": 10, "size": {"w": 3}}'), (2, 'Beta', 1, null, 15, null), (3, 'Gamma', 2, 1, 7.5, '{"pages": 30}');
   insert into covers values (1, 'red'), (3, null);
   insert into tags values (1, 'old'), (2, 'new');
   insert into book_tags values (1, 1), (1, 2), (3, 2);`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const read = async (path: string) => {
  const { status, body } = await project.admin('GET', path);
  return status === 200 ? body : { status, body };
};

test.each([
  ['columns', 'authors?select=name,id&id=eq.1', [{ name: 'Ada', id: 1 }]],
  ['all columns and an alias', 'lonely?select=*,again:id', []],
  ['an alias', 'authors?select=who:name&id=eq.1', [{ who: 'Ada' }]],
  ['a cast', 'books?select=id::text,price::int&id=eq.3', [{ id: '3', price: 8 }]],
  ['a cast by a name of two words', 'books?select=price::double precision&id=eq.3', [{ price: 7.5 }]],
  ['into documents', 'books?select=info->size->w,info->>pages&id=eq.1', [{ w: 3, pages: '10' }]],
  ['a computed column', 'authors?select=shout&id=eq.1', [{ shout: 'ADA' }]],
  ['blanks between columns', 'authors?select= id , name &id=eq.1', [{ id: 1, name: 'Ada' }]],
])('select: %s', async (_case, path, expected) => {
  expect(await read(path)).toEqual(expected);
});

test.each([
  [
    'the one that is referred to',
    'books?select=id,authors!author_id(name)&id=eq.1',
    [{ id: 1, authors: { name: 'Ada' } }],
  ],
  ['by the column', 'books?select=author_id(name)&id=eq.1', [{ author_id: { name: 'Ada' } }]],
  ['by the constraint', 'books?select=w:books_author_id_fkey(name)&id=eq.1', [{ w: { name: 'Ada' } }]],
  [
    'the many',
    'authors?select=name,books!author_id(title)&books.order=id&id=eq.1',
    [{ name: 'Ada', books: [{ title: 'Alpha' }, { title: 'Beta' }] }],
  ],
  ['none of the many', 'authors?select=books!author_id(title)&id=eq.3', [{ books: [] }]],
  ['none where one could be', 'books?select=editor_id(name)&id=eq.2', [{ editor_id: null }]],
  ['one to one', 'books?select=covers(color)&id=lte.2&order=id', [{ covers: { color: 'red' } }, { covers: null }]],
  ['many to many', 'books?select=tags(word)&id=eq.1&tags.order=id', [{ tags: [{ word: 'old' }, { word: 'new' }] }]],
  [
    'many to many by its junction',
    'tags?select=books!book_tags(id)&id=eq.2&books.order=id',
    [{ books: [{ id: 1 }, { id: 3 }] }],
  ],
  [
    'itself, the many',
    'authors?select=authors!mentor(name)&id=eq.1&authors.order=id',
    [{ authors: [{ name: 'Bob' }, { name: 'Cyd' }] }],
  ],
  ['itself, the one', 'authors?select=mentor(name)&id=eq.2', [{ mentor: { name: 'Ada' } }]],
  [
    'through a view',
    'titles?select=title,writer:authors!books_author_id_fkey(name)&title_id=eq.1',
    [{ title: 'Alpha', writer: { name: 'Ada' } }],
  ],
  ['a view', 'authors?select=titles!books_author_id_fkey(title)&id=eq.2', [{ titles: [{ title: 'Gamma' }] }]],
  [
    'what a function finds',
    'authors?select=cheap(id)&order=id',
    [{ cheap: [{ id: 1 }] }, { cheap: [{ id: 3 }] }, { cheap: [] }],
  ],
  ['deeply', 'authors?select=books!author_id(tags(word))&id=eq.2', [{ books: [{ tags: [{ word: 'new' }] }] }]],
  [
    'the same twice',
    'books?select=a:author_id(name),e:editor_id(name)&id=eq.3',
    [{ a: { name: 'Bob' }, e: { name: 'Ada' } }],
  ],
  [
    'only those that have some',
    'authors?select=id,books!author_id!inner(id)&books.price=gt.10',
    [{ id: 1, books: [{ id: 2 }] }],
  ],
  ['to filter alone', 'authors?select=id,books!author_id!inner()&books.price=gt.10', [{ id: 1 }]],
  ['that are not there', 'books?select=id,covers()&covers=is.null', [{ id: 2 }]],
  ['that are there', 'books?select=id,tags()&tags=not.is.null&order=id', [{ id: 1 }, { id: 3 }]],
  ['filtered', 'authors?select=books!author_id(id)&books.price=lt.10&id=eq.1', [{ books: [{ id: 1 }] }]],
  [
    'filtered by logic',
    'authors?select=books!author_id(id)&books.or=(price.lt.6,price.gt.20)&id=eq.1',
    [{ books: [{ id: 1 }] }],
  ],
  [
    'a page of them',
    'authors?select=books!author_id(id)&books.order=id.desc&books.limit=1&books.offset=1&id=eq.1',
    [{ books: [{ id: 1 }] }],
  ],
  [
    'ordered by them',
    'books?select=id,author_id(name)&order=author_id(name).desc,id',
    [
      { id: 3, author_id: { name: 'Bob' } },
      { id: 1, author_id: { name: 'Ada' } },
      { id: 2, author_id: { name: 'Ada' } },
    ],
  ],
])('embedding: %s', async (_case, path, expected) => {
  expect(await read(path)).toEqual(expected);
});

test.each([
  ['one', 'books?select=id,...author_id(author:name)&id=eq.1', [{ id: 1, author: 'Ada' }]],
  ['none', 'books?select=id,...covers(*)&id=eq.2', [{ id: 2, book_id: null, color: null }]],
  [
    'many, as lists',
    'authors?select=name,...books!author_id(titles:title)&books.order=id&id=eq.1',
    [{ name: 'Ada', titles: ['Alpha', 'Beta'] }],
  ],
  ['none of many', 'authors?select=...books!author_id(title)&id=eq.3', [{ title: [] }]],
  [
    'inside each other',
    'covers?select=color,...books(title,...author_id(name))&book_id=eq.1',
    [{ color: 'red', title: 'Alpha', name: 'Ada' }],
  ],
])('spread: %s', async (_case, path, expected) => {
  expect(await read(path)).toEqual(expected);
});

test.each([
  ['count', 'books?select=count()', [{ count: 3 }]],
  [
    'all of them',
    'books?select=price.sum(),price.avg()::int,price.min(),price.max(),id.count()',
    [{ sum: 27.5, avg: 9, min: 5, max: 15, count: 3 }],
  ],
  ['an alias and casts', 'books?select=total:price.sum()::text', [{ total: '27.5' }]],
  ['a cast before', 'books?select=price::int.sum()', [{ sum: 28 }]],
  [
    'by group',
    'books?select=author_id,price.sum()&order=author_id',
    [
      { author_id: 1, sum: 20 },
      { author_id: 2, sum: 7.5 },
    ],
  ],
  [
    'of what is embedded',
    'authors?select=id,books!author_id(count())&order=id',
    [
      { id: 1, books: [{ count: 2 }] },
      { id: 2, books: [{ count: 1 }] },
      { id: 3, books: [{ count: 0 }] },
    ],
  ],
  [
    'by group of what is embedded',
    'books?select=author_id(name),price.max()&author_id.name=eq.Bob',
    expect.arrayContaining([{ author_id: { name: 'Bob' }, max: 7.5 }]),
  ],
  [
    'handed up by a spread',
    'covers?select=...books(price.sum(),author_id)',
    expect.arrayContaining([
      { sum: 5, author_id: 1 },
      { sum: 7.5, author_id: 2 },
    ]),
  ],
  ['counts what is spread', 'books?select=...covers(count())', [{ count: 2 }]],
])('aggregates: %s', async (_case, path, expected) => {
  expect(await read(path)).toEqual(expected);
});

test('no relationship is PGRST200, and several are PGRST201 with a way out', async () => {
  expect(await read('lonely?select=books(id)')).toMatchObject({
    status: 400,
    body: {
      code: 'PGRST200',
      details:
        "Searched for a foreign key relationship between 'lonely' and 'books' in the schema 'public', but no matches were found.",
    },
  });
  expect(await read('books?select=authors(name)')).toEqual({
    status: 300,
    body: {
      code: 'PGRST201',
      message: "Could not embed because more than one relationship was found for 'books' and 'authors'",
      details: [
        {
          cardinality: 'many-to-one',
          embedding: 'books with authors',
          relationship: 'books_author_id_fkey using books(author_id) and authors(id)',
        },
        {
          cardinality: 'many-to-one',
          embedding: 'books with authors',
          relationship: 'books_editor_id_fkey using books(editor_id) and authors(id)',
        },
      ],
      hint: "Try changing 'authors' to one of the following: 'authors!books_author_id_fkey', 'authors!books_editor_id_fkey'. Find the desired relationship in the 'details' key.",
    },
  });
});

test.each([
  ['a filter on what is not embedded', 'books?covers.color=eq.red', 'PGRST108'],
  ['an order by what is not embedded', 'books?order=covers(color)', 'PGRST108'],
  ['an order by many', 'authors?select=books!author_id(id)&order=books(id)', 'PGRST118'],
  ['a comparison with what is embedded', 'books?select=covers(color)&covers=eq.1', 'PGRST120'],
  ['a sum over what many are spread of', 'authors?select=...books!author_id(price.sum())', 'PGRST127'],
  ['a select that does not end', 'books?select=covers(color', 'PGRST100'],
  ['a type that is not there', 'books?select=id::nothing', '42704'],
])('%s is refused', async (_case, path, code) => {
  expect(await read(path)).toMatchObject({ status: 400, body: { code } });
});

test('a table that is not exposed is not there to be embedded', async () => {
  await project.sql('grant select on authors to anon');
  expect((await project.open('GET', 'authors?select=name')).status).toBe(200);
  expect(await project.open('GET', 'authors?select=name,books!author_id(title)')).toMatchObject({
    status: 400,
    body: { code: 'PGRST200' },
  });
});

test('what one request may embed is bounded', async () => {
  const deep = `${'mentor('.repeat(21)}id${')'.repeat(21)}`;
  expect(await read(`authors?select=${deep}`)).toMatchObject({ status: 400, body: { code: 'PGRST100' } });
  const wide = Array.from({ length: 101 }, (_, index) => `m${index}:mentor(id)`).join(',');
  expect(await read(`authors?select=${wide}`)).toMatchObject({ status: 400, body: { code: 'PGRST127' } });
});

test('what is embedded may be called as a column beside it', async () => {
  const path = 'authors?select=books!author_id(*,author_id:authors!author_id(name))&id=eq.2';
  const answer = await project.admin<{ books: { author_id: unknown }[] }[]>('GET', path);
  expect([answer.status, answer.body[0]!.books[0]!.author_id]).toEqual([200, { name: 'Bob' }]);
});

test('every request is one statement, whatever it embeds', async () => {
  const path = '/admin/v1/rest/authors?select=name,books!author_id(title,tags(word),covers(color))';
  await service.call(project.service, 'GET', path);
  const sent = await service.statements(() => service.call(project.service, 'GET', path));
  expect(sent.filter((text) => !text.startsWith('select set_config(') && text.includes('"public"'))).toHaveLength(1);
});
