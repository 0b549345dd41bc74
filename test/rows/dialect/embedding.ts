import type { Areas } from './case.ts';

/** Relations, in both directions. */
export const embedding: Areas = {
  embedding: [
    {
      ask: 'GET books?select=title,authors(name)&order=id',
      status: 200,
      body: [
        { title: 'Emma', authors: { name: 'Austen' } },
        { title: 'Persuasion', authors: { name: 'Austen' } },
        { title: 'Villette', authors: { name: 'Bronte' } },
        { title: 'Der Prozess', authors: { name: 'Kafka, F.' } },
        { title: 'Orphan', authors: null },
      ],
    },
    {
      ask: 'GET books?select=title,author:authors(name)&id=eq.1',
      status: 200,
      body: [{ title: 'Emma', author: { name: 'Austen' } }],
    },
    {
      ask: 'GET authors?select=name,books(title)&order=id&books.order=title.desc',
      status: 200,
      body: [
        { name: 'Austen', books: [{ title: 'Persuasion' }, { title: 'Emma' }] },
        { name: 'Bronte', books: [{ title: 'Villette' }] },
        { name: 'Kafka, F.', books: [{ title: 'Der Prozess' }] },
      ],
    },
    {
      ask: 'GET authors?select=name,books!inner(title)&books.stars=gt.4&order=id',
      status: 200,
      body: [
        { name: 'Austen', books: [{ title: 'Emma' }] },
        { name: 'Kafka, F.', books: [{ title: 'Der Prozess' }] },
      ],
    },
    {
      ask: 'GET authors?select=name,books(title)&books.stars=gt.4&books.limit=1&order=id',
      status: 200,
      body: [
        { name: 'Austen', books: [{ title: 'Emma' }] },
        { name: 'Bronte', books: [] },
        { name: 'Kafka, F.', books: [{ title: 'Der Prozess' }] },
      ],
    },
    {
      ask: 'GET books?select=title,labels(label)&id=lte.2&order=id&labels.order=id',
      status: 200,
      body: [
        { title: 'Emma', labels: [{ label: 'x' }, { label: 'y' }] },
        { title: 'Persuasion', labels: [{ label: 'y' }] },
      ],
    },
    {
      ask: 'GET labels?select=label,books(title)&order=id',
      status: 200,
      body: [
        { label: 'x', books: [{ title: 'Emma' }] },
        { label: 'y', books: [{ title: 'Emma' }, { title: 'Persuasion' }] },
        { label: 'z', books: [] },
      ],
    },
    {
      ask: 'GET books?select=title,covers(colour)&order=id',
      status: 200,
      body: [
        { title: 'Emma', covers: { colour: 'red' } },
        { title: 'Persuasion', covers: null },
        { title: 'Villette', covers: null },
        { title: 'Der Prozess', covers: { colour: 'blue' } },
        { title: 'Orphan', covers: null },
      ],
    },
    {
      ask: 'GET covers?select=colour,books(title,authors(name))&order=book_id',
      status: 200,
      body: [
        { colour: 'red', books: { title: 'Emma', authors: { name: 'Austen' } } },
        { colour: 'blue', books: { title: 'Der Prozess', authors: { name: 'Kafka, F.' } } },
      ],
    },
    {
      ask: 'GET books?select=title,authors!books_author_id_fkey(name)&id=eq.1',
      status: 200,
      body: [{ title: 'Emma', authors: { name: 'Austen' } }],
    },
    {
      ask: 'GET books?select=title,authors!author_id(name)&id=eq.1',
      status: 200,
      body: [{ title: 'Emma', authors: { name: 'Austen' } }],
    },
    { ask: 'GET books?select=title,authors!wrong(name)', status: 400, code: 'PGRST200' },
    {
      ask: 'GET books?select=title,...authors(author:name)&order=id',
      status: 200,
      body: [
        { title: 'Emma', author: 'Austen' },
        { title: 'Persuasion', author: 'Austen' },
        { title: 'Villette', author: 'Bronte' },
        { title: 'Der Prozess', author: 'Kafka, F.' },
        { title: 'Orphan', author: null },
      ],
    },
    {
      ask: 'GET authors?select=name,...books(title)&order=id&books.order=id',
      status: 200,
      body: [
        { name: 'Austen', title: ['Emma', 'Persuasion'] },
        { name: 'Bronte', title: ['Villette'] },
        { name: 'Kafka, F.', title: ['Der Prozess'] },
      ],
    },
    {
      ask: 'GET books?select=title,authors(name)&order=authors(name).desc.nullslast,id',
      status: 200,
      body: [
        { title: 'Der Prozess', authors: { name: 'Kafka, F.' } },
        { title: 'Villette', authors: { name: 'Bronte' } },
        { title: 'Emma', authors: { name: 'Austen' } },
        { title: 'Persuasion', authors: { name: 'Austen' } },
        { title: 'Orphan', authors: null },
      ],
    },
    { ask: 'GET books?select=title,authors()&authors=is.null', status: 200, body: [{ title: 'Orphan' }] },
    { ask: 'GET books?select=id&authors=not.is.null', status: 400, code: '42703' },
    {
      ask: 'GET books?select=id,authors()&authors=not.is.null&order=id',
      status: 200,
      body: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }],
    },
    {
      ask: 'GET authors?select=name,books(count)&order=id',
      status: 200,
      body: [
        { name: 'Austen', books: [{ count: 2 }] },
        { name: 'Bronte', books: [{ count: 1 }] },
        { name: 'Kafka, F.', books: [{ count: 1 }] },
      ],
    },
    {
      ask: 'GET books?select=title,authors(name)&authors.name=eq.Bronte&order=id',
      status: 200,
      body: [
        { title: 'Emma', authors: null },
        { title: 'Persuasion', authors: null },
        { title: 'Villette', authors: { name: 'Bronte' } },
        { title: 'Der Prozess', authors: null },
        { title: 'Orphan', authors: null },
      ],
    },
    {
      ask: 'GET books?select=title,authors!inner(name)&authors.or=(name.eq.Bronte,born.gt.1800-01-01)&order=id',
      status: 200,
      body: [
        { title: 'Villette', authors: { name: 'Bronte' } },
        { title: 'Der Prozess', authors: { name: 'Kafka, F.' } },
      ],
    },
    {
      ask: 'GET pricey?select=title,authors(name)&order=id',
      status: 200,
      body: [
        { title: 'Emma', authors: { name: 'Austen' } },
        { title: 'Persuasion', authors: { name: 'Austen' } },
      ],
    },
    {
      ask: 'GET authors?select=name,pricey(title)&id=eq.1&pricey.order=id',
      status: 200,
      body: [{ name: 'Austen', pricey: [{ title: 'Emma' }, { title: 'Persuasion' }] }],
    },
    { ask: 'GET books?select=title,nowhere(id)', status: 400, code: 'PGRST200' },
  ],
};
