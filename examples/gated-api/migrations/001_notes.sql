create table notes (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  body text not null check (length(body) between 1 and 1000),
  created_at timestamptz not null default now()
);
create index on notes (user_id, id);
