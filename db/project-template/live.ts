import { authGroup } from './auth.ts';
import { liveBodyFunction } from './live-trigger.ts';

/** Owns the trigger's function: it may add hints, and nothing else. What a tenant's types make it call has no further rights. */
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
  // What may be followed: tables with all of their triggers that the manifest marks live, as it stands, and that users may
  // read. SQL of the tenant's can call `keep_live`, rename tables and write manifests, but not say who may read.
  // A write into a partition or a child runs no trigger of the table: those are never live.
  `create view _svc.live_tables as
    select c.oid as rel, c.relname as name, t.scoped, t.born
    from (
      select g.rel, g.scoped, g.owner_number, string_agg(distinct g.born, ',') as born
        from _svc.live_triggers g group by g.rel, g.scoped, g.owner_number having count(*) = 4 and bool_and(g.enabled)
    ) t join pg_catalog.pg_class c on c.oid = t.rel
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and pg_catalog.has_table_privilege('authenticated', c.oid, 'select')
      and not exists (select from pg_catalog.pg_inherits i where i.inhrelid = c.oid or i.inhparent = c.oid)
      and exists (
        select from _svc.manifest m, jsonb_path_query(m.manifest,
          'strict $.tables[*] ? (@.name == $name && @.live == true && @.expose == true)',
          jsonb_build_object('name', c.relname), true) w
        where case when w ->> 'policy' = 'user_owns_rows' then t.scoped and not exists (
            select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum = t.owner_number
              and not a.attisdropped and a.attname is distinct from w ->> 'owner_column')
          else not t.scoped end)`,
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
              and c.relkind = 'r' and c.relowner = 'service_role'::regrole
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
  // Follows what DDL makes of keys and owners, in its own transaction. It never blocks the DDL. A table that
  // gets a parent or a child is live no longer; when it has lost it, the manifest makes it live again, with new triggers.
  `create function _svc.follow_ddl() returns event_trigger language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $svc$
    declare
      one record;
    begin
      for one in
        select t.name, t.rel from _svc.live_triggers t
          where t.rel in (select i.inhrelid from pg_inherits i union all select i.inhparent from pg_inherits i)
      loop
        execute format('drop trigger if exists %I on %s', one.name, one.rel::regclass);
      end loop;
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
  // Forgets what is older than ten minutes, and earlier what lies before the latest 10,000 hints; never what no mark has passed.
  `create function _svc.prune_live() returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $svc$
    declare
      oldest _svc.live_marks;
      kept_from xid8;
      latest xid8;
    begin
      perform from _svc.live_state for update skip locked;
      if not found then return false; end if;
      if not exists (select from _svc.live_hints) then
        delete from _svc.live_marks;
        return false;
      end if;
      -- The latest 10,000 are kept: whatever a mark of before them saw may go.
      select h.xid into kept_from from _svc.live_hints h order by h.xid desc offset 9999 limit 1;
      if not exists (select from _svc.live_marks
        where at > clock_timestamp() - case when kept_from is null then interval '10 seconds' else interval '1 second' end)
      then
        insert into _svc.live_marks values (clock_timestamp(), pg_current_snapshot());
      end if;
      select m.* into oldest from _svc.live_marks m
        where m.at < clock_timestamp() - interval '10 minutes' or pg_snapshot_xmax(m.snapshot) <= kept_from
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
  `grant select on _svc.live_tables, _svc.ddl_version to ${authGroup}`,
  // Its number tells a copy from the database that it was made of; the catalog is closed to others.
  `grant select on pg_catalog.pg_database to ${authGroup}`,
];
