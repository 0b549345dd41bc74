/**
 * Tenant SQL and the expose manifest. The tenant's tables belong to `service_role`, which alone makes tables, and what it
 * makes is private until it is exposed.
 *
 * Each transaction that changes the schema counts as one change, which its commit makes visible: the count is raised by
 * a deferred trigger, so that two of them wait for each other at their ends alone.
 */
export const tenantSqlStatements: readonly string[] = [
  'revoke create on schema public from project_admin',
  'alter default privileges for role service_role revoke execute on functions from public',
  'grant usage on schema _svc to public',
  'grant select on _svc.schema_version to public',
  'create table _svc.ddl_version (version bigint not null)',
  'insert into _svc.ddl_version values (1)',
  'grant select on _svc.ddl_version to public',
  'create table _svc.ddl_changes (transaction_id xid8 primary key)',
  `create function _svc.count_ddl_change() returns trigger language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $$
    begin
      update _svc.ddl_version set version = version + 1;
      delete from _svc.ddl_changes where transaction_id = new.transaction_id;
      return null;
    end $$`,
  `create constraint trigger count_ddl_change after insert on _svc.ddl_changes
    deferrable initially deferred for each row execute function _svc.count_ddl_change()`,
  `create function _svc.note_ddl() returns event_trigger language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $$
    begin
      insert into _svc.ddl_changes values (pg_current_xact_id()) on conflict do nothing;
    end $$`,
  'revoke execute on function _svc.count_ddl_change(), _svc.note_ddl() from public',
  'create event trigger svc_note_ddl on ddl_command_end execute function _svc.note_ddl()',
  `create table _svc.manifest (
    one boolean primary key default true check (one),
    manifest jsonb not null,
    applied_at timestamptz not null default now())`,
  'grant select, insert, update, delete on _svc.manifest to service_role',
];
