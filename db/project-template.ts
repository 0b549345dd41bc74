import { authStatements } from './project-template/auth.ts';
import { crashMarkStatements } from './project-template/crash-mark.ts';
import { ddlFollowerStatements } from './project-template/ddl-follower.ts';
import { importedUserStatements } from './project-template/imported-users.ts';
import { listedUserStatements } from './project-template/listed-users.ts';
import { liveStatements } from './project-template/live.ts';
import { liveBodyStatements } from './project-template/live-trigger.ts';
import { migrationStatements } from './project-template/migrations.ts';
import { passkeyStatements } from './project-template/passkeys.ts';
import { redirectUrlStatements } from './project-template/redirect-urls.ts';
import { runSweepStatements } from './project-template/run-sweep.ts';
import { sessionEndStatements } from './project-template/session-ends.ts';
import { socialStatements } from './project-template/social.ts';
import { sqlRunStatements } from './project-template/sql-runs.ts';
import { tenancyStatements } from './project-template/tenancy.ts';
import { tenantSqlStatements } from './project-template/tenant-sql.ts';
import { userDataStatements } from './project-template/user-data.ts';

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
 * Every version there was: a released one never changes, the next is added below. Since live hints came, functions that
 * a version makes are for their owner alone: grant what policies, SQL or `svc_auth` call.
 */
export const templateVersions: readonly TemplateVersion[] = [
  { version: 1, statements: first },
  { version: 2, statements: tenantSqlStatements },
  { version: 3, statements: authStatements },
  { version: 4, statements: [...tenancyStatements, ...sqlRunStatements] },
  { version: 5, statements: socialStatements },
  { version: 6, statements: passkeyStatements },
  { version: 7, statements: userDataStatements },
  { version: 8, statements: liveStatements },
  { version: 9, statements: sessionEndStatements },
  { version: 10, statements: runSweepStatements },
  // Both wrote the triggers of live tables anew, as 14 does.
  { version: 11, statements: [] },
  { version: 12, statements: [] },
  { version: 13, statements: [...crashMarkStatements, ...ddlFollowerStatements] },
  { version: 14, statements: liveBodyStatements },
  { version: 15, statements: importedUserStatements },
  { version: 16, statements: redirectUrlStatements },
  { version: 17, statements: listedUserStatements },
  { version: 18, statements: migrationStatements },
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

/** What makes an empty database one of an older version. */
export const statementsUntil = (until: number): string[] => [
  ...templateVersions.filter(({ version }) => version <= until).flatMap(({ statements }) => statements),
  `update _svc.schema_version set version = ${until}`,
];
