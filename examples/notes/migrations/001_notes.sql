create table notes (
  id uuid primary key default gen_random_uuid(),
  owner uuid not null,
  body text not null check (length(body) between 1 and 2000),
  created_at timestamptz not null default now()
);
