create table posts (
  slug text primary key check (slug ~ '^[a-z0-9-]{1,80}$'),
  title text not null,
  body text not null,
  published_at timestamptz not null default now()
);
insert into posts (slug, title, body) values
  ('hello', 'Hello, web', 'This page was rendered by a function, out of a row of the table posts.'),
  ('next', 'What is next', 'Write another row, and it has a page of its own.');
