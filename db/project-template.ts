/** What a version of the template adds to the one before it. */
interface TemplateVersion {
  readonly version: number;
  readonly statements: readonly string[];
}

/** Roles that a project's login role may become inside its own database. They cannot log in. */
export const commonRoles = ['anon', 'authenticated', 'project_admin', 'service_role'] as const;

/**
 * What a project's database holds: `auth` for its users, `_svc` for the platform, `public` for the tenant. The helpers
 * that policies call are here from the start.
 */
const first: readonly string[] = [
  'create schema auth',
  'create schema _svc',
  'revoke all on schema public from public',
  'create table _svc.schema_version (version integer not null)',
  'insert into _svc.schema_version values (1)',
  // Claims arrive as a local setting of each request's transaction; an anonymous request has none.
  `create function auth.claims() returns jsonb language sql stable as
    $$ select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$`,
  `create function auth.uid() returns uuid language sql stable as $$ select (auth.claims()->>'sub')::uuid $$`,
  `create function auth.role() returns text language sql stable as $$ select auth.claims()->>'role' $$`,
  `grant usage on schema public, auth to ${commonRoles.join(', ')}`,
  'grant execute on all functions in schema auth to public',
  'grant create on schema public to project_admin, service_role',
];

/**
 * Tenant SQL and the expose manifest. The tenant's tables belong to `service_role`, nobody else makes any, and what it
 * makes is for nobody else until it is exposed.
 *
 * Each transaction that changes the schema counts as one change, which its commit makes visible: the count is raised by
 * a deferred trigger, so that two of them wait for each other at their ends alone.
 */
const tenantSql: readonly string[] = [
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

/** Every version there was: a released one never changes, the next is added below. */
export const templateVersions: readonly TemplateVersion[] = [
  { version: 1, statements: first },
  { version: 2, statements: tenantSql },
];

/** Databases keep the version they were brought to in `_svc.schema_version`. */
export const templateVersion = templateVersions.length;

/** The database every project database is copied from. Accepts no connections. */
export const templateName = `svc_template_v${templateVersion}`;

/** What brings a database from a version to the newest. @param from 0 for an empty one */
export const statementsSince = (from: number): string[] => [
  ...templateVersions.filter(({ version }) => version > from).flatMap(({ statements }) => statements),
  `update _svc.schema_version set version = ${templateVersion}`,
];
