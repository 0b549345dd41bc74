/** What changes no column, key, type or parent of a table; the manifest is applied by these, many times over. */
const harmlessTags = [
  'CREATE TRIGGER',
  'DROP TRIGGER',
  'ALTER TRIGGER',
  'CREATE FUNCTION',
  'ALTER FUNCTION',
  'CREATE POLICY',
  'ALTER POLICY',
  'DROP POLICY',
  'CREATE VIEW',
  'CREATE INDEX',
  'COMMENT',
  'GRANT',
  'REVOKE',
];

/** Live tables that a statement may have changed: where it says which tables it made or altered, those alone. */
const touched = `t.rel in (select c.objid from pg_event_trigger_ddl_commands() c) or tg_tag not in ('CREATE TABLE', 'ALTER TABLE')`;

/**
 * Follows DDL as before, but writes anew what a statement can have changed alone: when every statement wrote the triggers of
 * every live table, a manifest with two hundred of them, which is some thousand statements, took longer than one may.
 */
export const ddlFollowerStatements: readonly string[] = [
  `create or replace function _svc.follow_ddl() returns event_trigger language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $svc$
    declare
      one record;
    begin
      if tg_tag in (${harmlessTags.map((tag) => `'${tag}'`).join(', ')}) then return; end if;
      for one in
        select t.name, t.rel from _svc.live_triggers t
          where t.rel in (select i.inhrelid from pg_inherits i union all select i.inhparent from pg_inherits i)
      loop
        execute format('drop trigger if exists %I on %s', one.name, one.rel::regclass);
      end loop;
      perform _svc.write_live(t.rel, t.scoped, t.owner_number)
        from (select distinct rel, scoped, owner_number from _svc.live_triggers) t where ${touched};
    exception when others then null;
    end $svc$`,
];
