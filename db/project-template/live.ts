import { authGroup } from './auth.ts';
import { liveBodyFunction } from './live-trigger.ts';

/** Owns the trigger's function: it may add hints, and nothing else. What a tenant's types make it call can do no more. */
export const liveWriter = 'svc_live';

/**
 * Live hints: what statements changed, written by triggers in their own transactions.
 * A hint carries the number of its transaction, so that a reader finds what its last snapshot could not see; writers
 * share no lock. No sequence numbers the rows: taking from one would change what `lastval()` tells the tenant.
 *
 * `audience`: 0 everybody, 1 the owner alone, 2 every user, where it could not be told whose rows they were.
 */
export const liveStatements: readonly string[] = [
  `create table _svc.live_hints (
    xid xid8 not null default pg_current_xact_id(),
    at timestamptz not null default clock_timestamp(),
    part integer not null default 0,
    tab text not null,
    op text not null,
    audience smallint not null,
    owner text,
    pk jsonb,
    n bigint not null
  )`,
  'create index live_hints_xid_idx on _svc.live_hints (xid)',
  // What of the past is gone: the hints were all seen by `pruned_to`, and the latest is of `pruned_xid`.
  'create table _svc.live_state (one boolean primary key default true check (one), pruned_to pg_snapshot, pruned_xid xid8)',
  'insert into _svc.live_state default values',
  // Moments of the past, to tell what was committed before each of them.
  'create table _svc.live_marks (at timestamptz not null, snapshot pg_snapshot not null)',
  liveBodyFunction,
  // Puts what the catalogs say now into the functions of tables that have triggers. Unchanged ones stay as they are.
  `create function _svc.write_live(rel oid, scoped boolean, owner_number smallint) returns void language plpgsql
    set search_path = pg_catalog, pg_temp as $svc$
    declare
      name text := 'live_on_' || rel;
      body text := _svc.live_body(rel, scoped, owner_number);
    begin
      if exists (select from pg_proc where proname = name and pronamespace = '_svc'::regnamespace and prosrc = body) then
        return;
      end if;
      execute format('create or replace function _svc.%I() returns trigger language plpgsql security definer
        set search_path = pg_catalog, pg_temp as %L', name, body);
      execute format('alter function _svc.%I() owner to ${liveWriter}', name);
      execute format('revoke execute on function _svc.%I() from public', name);
    end $svc$`,
  // Every trigger of ours, with the number of the owner's column where rows have owners.
  `create view _svc.live_triggers as
    select g.oid, g.tgrelid as rel, g.tgname as name, g.tgenabled in ('O', 'A') as enabled, g.tgnargs > 0 as scoped,
      nullif(split_part(encode(g.tgargs, 'escape'), '\\000', 1), '')::smallint as owner_number, g.xmin::text as born
    from pg_catalog.pg_trigger g
    where g.tgfoid in (select p.oid from pg_catalog.pg_proc p
      where p.pronamespace = '_svc'::regnamespace and p.proname like 'live\\_on\\_%')`,
  // Makes exactly these tables of the tenant's live: [{"table": "notes", "owner": "user_id"}].
  `create function _svc.keep_live(wanted jsonb) returns void language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $svc$
    declare
      one record;
      arguments text;
    begin
      for one in
        select t.name, t.rel, c.relname from _svc.live_triggers t join pg_class c on c.oid = t.rel
          where not exists (select from jsonb_array_elements(wanted) w where w ->> 'table' = c.relname)
      loop
        execute format('drop trigger %I on %s', one.name, one.rel::regclass);
      end loop;
      for one in
        select c.oid as rel, a.attnum as number, w ->> 'owner' is not null as scoped
          from jsonb_array_elements(wanted) w
            join pg_class c on c.relname = w ->> 'table' and c.relnamespace = 'public'::regnamespace
              and c.relkind in ('r', 'p') and c.relowner = 'service_role'::regrole
            left join pg_attribute a on a.attrelid = c.oid and a.attname = w ->> 'owner' and a.attnum > 0
              and not a.attisdropped
      loop
        perform _svc.write_live(one.rel, one.scoped, one.number);
        continue when 4 = (select count(*) from _svc.live_triggers t where t.rel = one.rel and t.enabled
          and t.scoped = one.scoped and t.owner_number is not distinct from one.number);
        for arguments in select t.name from _svc.live_triggers t where t.rel = one.rel loop
          execute format('drop trigger %I on %s', arguments, one.rel::regclass);
        end loop;
        arguments := format('for each statement execute function _svc.%I(%s)', 'live_on_' || one.rel,
          case when one.scoped then quote_literal(coalesce(one.number::text, '')) else '' end);
        execute format('create trigger svc_live_insert after insert on %s referencing new table as new_rows %s',
          one.rel::regclass, arguments);
        execute format('create trigger svc_live_update after update on %s
          referencing old table as old_rows new table as new_rows %s', one.rel::regclass, arguments);
        execute format('create trigger svc_live_delete after delete on %s referencing old table as old_rows %s',
          one.rel::regclass, arguments);
        execute format('create trigger svc_live_truncate after truncate on %s %s', one.rel::regclass, arguments);
      end loop;
      for one in
        select p.proname from pg_proc p where p.pronamespace = '_svc'::regnamespace and p.proname like 'live\\_on\\_%'
          and not exists (select from pg_trigger g where g.tgfoid = p.oid)
      loop
        execute format('drop function _svc.%I()', one.proname);
      end loop;
    end $svc$`,
  // Follows what DDL makes of keys and owners, in its own transaction. It never stands in the way of the DDL.
  `create function _svc.follow_ddl() returns event_trigger language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $svc$
    begin
      perform _svc.write_live(t.rel, t.scoped, t.owner_number)
        from (select distinct rel, scoped, owner_number from _svc.live_triggers) t;
    exception when others then null;
    end $svc$`,
  'create event trigger svc_follow_ddl on ddl_command_end execute function _svc.follow_ddl()',
  `revoke execute on function _svc.live_body(oid, boolean, smallint), _svc.write_live(oid, boolean, smallint),
    _svc.keep_live(jsonb), _svc.follow_ddl() from public`,
  'grant execute on function _svc.keep_live(jsonb) to service_role',
  `grant usage on schema _svc to ${liveWriter}`,
  `grant insert on _svc.live_hints to ${liveWriter}`,
  // Forgets what is older than ten minutes, and more when there are over 10,000 hints; never what no mark has passed.
  `create function _svc.prune_live() returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $svc$
    declare
      oldest _svc.live_marks;
      crowded boolean;
      latest xid8;
    begin
      perform from _svc.live_state for update skip locked;
      if not found then return false; end if;
      if not exists (select from _svc.live_hints) then
        delete from _svc.live_marks;
        return false;
      end if;
      select count(*) > 10000 into crowded from _svc.live_hints;
      if not exists (select from _svc.live_marks
        where at > clock_timestamp() - case when crowded then interval '1 second' else interval '10 seconds' end)
      then
        insert into _svc.live_marks values (clock_timestamp(), pg_current_snapshot());
      end if;
      select m.* into oldest from _svc.live_marks m
        where m.at < clock_timestamp() - interval '10 minutes'
          or (crowded and 10000 <= (select count(*) from _svc.live_hints h
            where not pg_visible_in_snapshot(h.xid, m.snapshot)))
        order by m.at desc limit 1;
      if not found then return true; end if;
      with gone as (
        delete from _svc.live_hints h where pg_visible_in_snapshot(h.xid, oldest.snapshot) returning h.xid
      ) select g.xid into latest from gone g order by g.xid desc limit 1;
      if found then
        update _svc.live_state set pruned_to = oldest.snapshot, pruned_xid = greatest(pruned_xid, latest);
      end if;
      delete from _svc.live_marks m where m.at <= oldest.at;
      return true;
    end $svc$`,
  'revoke execute on function _svc.prune_live() from public',
  `grant execute on function _svc.prune_live() to ${authGroup}`,
  `grant usage on schema _svc to ${authGroup}`,
  `grant select, delete on _svc.live_hints to ${authGroup}`,
  // Locking the row is an update to it; it is the lock of those who prune.
  `grant select, update on _svc.live_state to ${authGroup}`,
  `grant select, insert, delete on _svc.live_marks to ${authGroup}`,
  `grant select on _svc.live_triggers, _svc.ddl_version to ${authGroup}`,
  // Its number tells a copy from the database that it was made of; the catalog is closed to others.
  `grant select on pg_catalog.pg_database to ${authGroup}`,
];
