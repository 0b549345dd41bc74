import { authStatements } from './project-template/auth.ts';

/** Raised with every change of the template; databases keep the version they were made from in `_svc.schema_version`. */
export const templateVersion = 2;

/** The database every project database is copied from. Accepts no connections. */
export const templateName = `svc_template_v${templateVersion}`;

/** Roles that a project's login role may become inside its own database. They own nothing and cannot log in. */
export const commonRoles = ['anon', 'authenticated', 'project_admin', 'service_role'] as const;

/**
 * What a new project's database holds: `auth` for its users, `_svc` for the platform, `public` for the tenant.
 */
export const templateStatements: readonly string[] = [
  'create schema auth',
  'create schema _svc',
  'revoke all on schema public from public',
  `create table _svc.schema_version (version integer not null)`,
  `insert into _svc.schema_version values (${templateVersion})`,
  // Claims arrive as a local setting of each request's transaction; an anonymous request has none.
  `create function auth.claims() returns jsonb language sql stable as
    $$ select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$`,
  `create function auth.uid() returns uuid language sql stable as $$ select (auth.claims()->>'sub')::uuid $$`,
  `create function auth.role() returns text language sql stable as $$ select auth.claims()->>'role' $$`,
  `grant usage on schema public, auth to ${commonRoles.join(', ')}`,
  'grant execute on all functions in schema auth to public',
  'grant create on schema public to project_admin, service_role',
  ...authStatements,
];

/** What takes a database from the version before to each version. */
export const templateUpgrades: Readonly<Record<number, readonly string[]>> = { 2: authStatements };
