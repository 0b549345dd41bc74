create table todos (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  title text not null check (length(title) between 1 and 200),
  done boolean not null default false,
  created_at timestamptz not null default now()
);
create index on todos (user_id, id);
