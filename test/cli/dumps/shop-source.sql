create type public.mood as enum ('calm', 'it''s loud', 'a,b');
create domain public.positive as integer check (value > 0);
create table public.customers (
  id bigint generated always as identity primary key,
  name text not null,
  nick varchar(12),
  code char(4),
  mood public.mood default 'calm',
  size public.positive,
  tags text[] not null default '{}',
  grid integer[],
  data jsonb,
  raw json,
  photo bytea,
  price numeric(20,6),
  ratio double precision,
  born date,
  seen timestamp with time zone,
  local timestamp without time zone,
  span interval,
  flags bit(3),
  net inet,
  ok boolean,
  token uuid default '00000000-0000-4000-8000-00000000000a',
  label text generated always as (name || '!') stored
);
create table public."Order Lines" (
  id serial primary key,
  customer bigint not null references public.customers(id) on delete cascade,
  "Qty;" integer not null check ("Qty;" > 0),
  note text
);
create index "by note" on public."Order Lines" (note);
create table public.parts (id int not null, day date not null, primary key (id, day)) partition by range (day);
create table public.parts_2023 partition of public.parts for values from ('2023-01-01') to ('2024-01-01');
create table public.log (what text);
create function public.note_order() returns trigger language plpgsql as $body$
begin
  insert into public.log values ('order; ''' || new.id || '''');
  return new;
end $body$;
create function public.total(c bigint) returns bigint language sql stable as 'select coalesce(sum("Qty;"), 0) from public."Order Lines" where customer = c';
create function public.atomic(c integer) returns integer language sql begin atomic select case when c > 0 then c else 0 end; select c + 1; end;
create view public.loud as select id, name from public.customers where mood = 'it''s loud';
create materialized view public.totals as select id, public.total(id) as total from public.customers;
insert into public.customers (name, nick, code, mood, size, tags, grid, data, raw, photo, price, ratio, born, seen, local, span, flags, net, ok) values
 ('Ada', '', 'a', 'it''s loud', 7, '{"",NULL,"a b","c\"d","\\N","{x}"}', '{{1,2},{3,NULL}}', '{"k": [1, 1.50, "\u00f6\\n"], "e": ""}', '{ "b" :1,  "a":2 }', '\x00ff5c0a0d09', 12345678901234.123456, 0.1, '0044-03-15 BC', '2023-02-03 04:05:06.789012+05:30', '2023-02-03 04:05:06.789012', '1 year 2 mons -3 days 04:05:06.7', b'101', '10.0.0.0/8', true),
 (E'tab\there\nline\\N \\. back\\slash\r\x08\x0b\x0c end', null, null, 'a,b', null, '{}', null, 'null', null, '\x', 'NaN', 'infinity', 'infinity', '-infinity', null, null, null, '::1', null),
 ('', '\N', 'four', 'calm', 1, '{"multi\nline"}', '[2:3]={5,6}', '"text"', '"x"', null, -0.000001, '-1.7976931348623157e308', '2023-12-31', '1900-01-01 00:00:00+00', null, '-00:00:01', b'000', null, false),
 ('Grüße 👋 $$ ; -- /* ''', null, null, null, null, '{}', null, null, null, null, null, null, null, null, null, null, null, null, null);
insert into public."Order Lines" (customer, "Qty;", note) select (i % 4) + 1, i, case when i % 3 = 0 then null when i % 3 = 1 then '' else 'note ' || i end from generate_series(1, 300) i;
insert into public.parts select i, '2023-01-01'::date + i from generate_series(1, 5) i;
create trigger note_order after insert on public."Order Lines" for each row execute function public.note_order();
refresh materialized view public.totals;
alter table public.customers enable row level security;
create policy "own; rows" on public.customers for select using ((token = '00000000-0000-0000-0000-000000000000'::uuid));
comment on table public.customers is 'Who buys; it''s $$ theirs';
select setval('public."Order Lines_id_seq"', 4711);
