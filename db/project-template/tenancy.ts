import { authGroup } from './auth.ts';

/** Views of the whole server, its other databases and their sessions. */
const serverViews = [
  'pg_aios',
  'pg_auth_members',
  'pg_database',
  'pg_db_role_setting',
  'pg_group',
  'pg_locks',
  'pg_prepared_xacts',
  'pg_replication_origin_status',
  'pg_replication_slots',
  // They show settings of all roles, which a role may write for itself: a way to pass things from one tenant to another.
  'pg_roles',
  'pg_shdepend',
  'pg_shdescription',
  'pg_shseclabel',
  'pg_stat_activity',
  'pg_stat_archiver',
  'pg_stat_bgwriter',
  'pg_stat_checkpointer',
  'pg_stat_database',
  'pg_stat_database_conflicts',
  'pg_stat_gssapi',
  'pg_stat_io',
  'pg_stat_progress_analyze',
  'pg_stat_progress_basebackup',
  'pg_stat_progress_cluster',
  'pg_stat_progress_copy',
  'pg_stat_progress_create_index',
  'pg_stat_progress_vacuum',
  'pg_stat_recovery_prefetch',
  'pg_stat_replication',
  'pg_stat_replication_slots',
  'pg_stat_slru',
  'pg_stat_ssl',
  'pg_stat_subscription',
  'pg_stat_wal',
  'pg_stat_wal_receiver',
  'pg_tablespace',
  'pg_user',
] as const;

/** Functions behind those views, and what writes or measures beyond the database. */
const serverFunctions = `^(pg_stat_get_(activity|archiver|backend_|bgwriter|checkpointer|db_|io$|progress_info|recovery|replication|slru|subscription$|wal|xact_db)|pg_lock_status$|pg_prepared_xact$|pg_get_replication_slots$|pg_get_aios$|pg_show_replication_origin_status$|pg_tablespace_(size|databases)$|pg_blocking_pids$|pg_safe_snapshot_blocking_pids$|pg_logical_emit_message$)`;

/** Kinds of statement that no code of a tenant's may run. What the gateway itself grants stands at the top of a request. */
const refusedTags = ['GRANT', 'REVOKE', 'ALTER DEFAULT PRIVILEGES', 'DROP OWNED'] as const;

const list = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');

/**
 * What keeps tenants from looking at each other, and from undoing by SQL that makes SQL what the manifest says. The
 * catalogs that a server's databases share are closed in each of them. SQL itself is read before it is run, so a
 * statement of these kinds that has anything around it was made as something else ran.
 */
export const tenancyStatements: readonly string[] = [
  `do $$ declare one text; begin
    for one in select oid::regclass from pg_catalog.pg_class
      where relnamespace = 'pg_catalog'::regnamespace and relname in (${list(serverViews)}) loop
      execute format('revoke all on %s from public', one);
    end loop;
    for one in select oid::regprocedure from pg_catalog.pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and proname ~ '${serverFunctions}' loop
      execute format('revoke execute on function %s from public', one);
    end loop;
  end $$`,
  // Asks who runs the statement, which inside a function of the platform's own is its owner: a superuser is a member of
  // every group, and no role of a tenant's is one of this.
  `create function _svc.refuse_ddl() returns event_trigger language plpgsql
    set search_path = pg_catalog, pg_temp as $$
    declare around text;
    begin
      if pg_has_role(current_user, '${authGroup}', 'member') then return; end if;
      get diagnostics around = pg_context;
      if tg_tag in ('GRANT', 'REVOKE') and position(E'\\n' in around) = 0 then return; end if;
      raise exception using errcode = '42501', message = format('%s: not in a project''s SQL', tg_tag),
        hint = 'Who may do what is said by the project''s expose manifest alone.';
    end $$`,
  'revoke execute on function _svc.refuse_ddl() from public',
  `create event trigger svc_refuse_ddl on ddl_command_start when tag in (${list(refusedTags)})
    execute function _svc.refuse_ddl()`,
];
