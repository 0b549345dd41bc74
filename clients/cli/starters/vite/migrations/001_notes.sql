create table notes (
  id bigint generated always as identity primary key,
  owner uuid not null,
  body text not null check (length(body) between 1 and 1000),
  created_at timestamptz not null default now()
);
