import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { type Column, sql } from '../../db/drizzle.ts';
import { appVersions, appVisibilities, type NamedNeed } from '../../db/schema/apps.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { dollars } from '../../kernel/limits/tier-table.ts';
import type { Services } from '../../kernel/run/context.ts';
import { hostOfProject } from '../hosts/shared/host-urls.ts';
import { tierWire } from '../orgs/shared/wire.ts';
import { originOfHost } from '../projects/shared/project-hosts.ts';

/** A version with what its project says of it: what a statement selects from {@link versionsAndProjects}. */
export const versionColumns = {
  ...allOf(appVersions, ['dueAt', 'lease', 'attempts']),
  ...pick(projects, 'publicId', 'archivedAt'),
};

export type AppVersion = RowOf<typeof versionColumns>;

export const versionsAndProjects = sql`${appVersions} join ${projects} on ${projects.orgId} = ${appVersions.orgId}
  and ${projects.id} = ${appVersions.projectId} and ${projects.deletedAt} is null`;

export const versionId = z.string().min(1).max(80).describe('The version, `appv_…`.');

type Listed = Readonly<Record<'visibility' | 'forkAllowed' | 'status' | 'deletedAt', Column>>;

/** What anybody finds who browses: the same words as the index of it. */
export const isListed = (of: Listed = appVersions) =>
  sql`${of.visibility} = 'public' and ${of.forkAllowed} and ${of.status} = 'published' and ${of.deletedAt} is null`;

const described = { description: z.string().optional().describe('What it is for.') };

/** A version as it is answered. Contract 04, section 3.3 (`AppSummary`). */
export const AppSummaryWire = z
  .object({
    id: z.string(),
    project_id: z.string(),
    version: z.int().describe('Counts the versions of the project.'),
    name: z.string(),
    description: z.string().nullable(),
    visibility: z.enum(appVisibilities),
    fork_allowed: z.boolean(),
    fork_pricing: z.record(z.string(), z.string()).optional().describe('What a fork costs; absent where it is free.'),
    fork_price_usd_micros: z.int(),
    min_tier: tierWire,
    derived_min_tier: tierWire.describe('The lowest tier whose limits its functions keep.'),
    status: z.enum(['draft', 'published', 'archived']),
    table_count: z.int(),
    function_count: z.int(),
    site_file_count: z.int(),
    site_total_bytes: z.int(),
    required_secrets: z.array(z.object({ key: z.string(), ...described })),
    required_actions: z.array(z.object({ action: z.string(), ...described })),
    tags: z.array(z.string()),
    live_url: z.string().nullable().describe('Where the project is served that it was published from.'),
    bootstrap_variables: z.array(z.object({ name: z.string(), ...described })).nullable(),
    contents: z.object({
      tables: z.array(z.string()),
      functions: z.array(
        z.object({
          name: z.string(),
          timeout_seconds: z.int(),
          memory_mb: z.int(),
          schedules: z.int(),
          require_auth: z.boolean(),
        }),
      ),
      migrations: z.array(z.string()),
      routes: z.int(),
      total_bytes: z.int().describe('What a fork takes of storage beside its database.'),
    }),
    compatibility_warnings: z.array(z.string()).describe('What a fork has to be given before it works, in sentences.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'AppVersion' });

/** `archived` while its project is. */
export const statusOfVersion = ({ status, archivedAt }: Pick<AppVersion, 'status' | 'archivedAt'>) =>
  archivedAt === null ? status : ('archived' as const);

/** Where the project is served that a version was published from. */
export const liveUrlOf = (services: Pick<Services, 'settings'>, { publicId, archivedAt }: AppVersion): string | null =>
  archivedAt === null ? originOfHost(services, hostOfProject(services, publicId)) : null;

/** What has to be done before a fork works, in sentences. */
export function warningsOf({ requiredSecrets, requiredActions, contents }: AppVersion): string[] {
  const secrets = requiredSecrets.map(({ name }) => name);
  return [
    ...(secrets.length === 0 ? [] : [`A fork has no secrets. Set ${secrets.join(', ')}.`]),
    ...requiredActions.map(({ name, description }) => (description === undefined ? `${name}.` : description)),
    ...contents.warnings,
  ];
}

const whatFor = ({ description }: NamedNeed) => (description === undefined ? {} : { description });

export function versionToWire(services: Pick<Services, 'settings'>, one: AppVersion): z.output<typeof AppSummaryWire> {
  const { contents, forkPrice } = one;
  return {
    id: one.id,
    project_id: one.projectId,
    version: one.number,
    name: one.name,
    description: one.description,
    visibility: one.visibility,
    fork_allowed: one.forkAllowed,
    ...(forkPrice === 0n ? {} : { fork_pricing: { USD: dollars(forkPrice) } }),
    fork_price_usd_micros: Number(forkPrice),
    min_tier: one.minTier,
    derived_min_tier: one.minTier,
    status: statusOfVersion(one),
    table_count: contents.tables.length,
    function_count: contents.functions.length,
    site_file_count: contents.siteFiles,
    site_total_bytes: contents.siteBytes,
    required_secrets: one.requiredSecrets.map((need) => ({ key: need.name, ...whatFor(need) })),
    required_actions: one.requiredActions.map((need) => ({ action: need.name, ...whatFor(need) })),
    tags: [...one.tags],
    live_url: liveUrlOf(services, one),
    bootstrap_variables: one.bootstrapVariables?.map((need) => ({ name: need.name, ...whatFor(need) })) ?? null,
    contents: {
      tables: [...contents.tables],
      functions: contents.functions.map((fn) => ({
        name: fn.name,
        timeout_seconds: fn.timeoutSeconds,
        memory_mb: fn.memoryMb,
        schedules: fn.schedules,
        require_auth: fn.requireAuth,
      })),
      migrations: [...contents.migrations],
      routes: contents.routes,
      total_bytes: contents.totalBytes,
    },
    compatibility_warnings: warningsOf(one),
    error: one.error,
    created_at: one.createdAt.toISOString(),
  };
}

/** A version of a project. @throws APP_VERSION_NOT_FOUND */
export async function findVersion(rows: Rows, owner: { readonly projectId: string }, id: string): Promise<AppVersion> {
  const [found] = await rows(findVersionStatement.with({ projectId: owner.projectId, id }));
  if (found === undefined) throw versionNotFound(id);
  return found;
}

/**
 * A version as somebody sees it who has no right to its project: never one that is private, or not there yet.
 *
 * @param orgId an organization that sees what is private to it
 * @throws APP_VERSION_NOT_FOUND
 */
export async function seenVersion(rows: Rows, id: string, orgId?: string): Promise<AppVersion> {
  const [found] = await rows(seenStatement.with({ id }));
  if (found === undefined || (found.visibility === 'private' && found.orgId !== orgId)) throw versionNotFound(id);
  return found;
}

const versionNotFound = (id: string) =>
  new ServiceError('APP_VERSION_NOT_FOUND', { details: { version_id: id.slice(0, 80) } });

export const findVersionStatement = statement(
  'apps.find',
  { params: pick(appVersions, 'projectId', 'id'), row: versionColumns },
  ({ projectId, id }, row) => sql`select ${row} from ${versionsAndProjects}
    where ${appVersions.projectId} = ${projectId} and ${appVersions.id} = ${id} and ${appVersions.deletedAt} is null`,
);

const seenStatement = statement(
  'apps.seen',
  { params: pick(appVersions, 'id'), row: versionColumns },
  ({ id }, row) => sql`select ${row} from ${versionsAndProjects}
    where ${appVersions.id} = ${id} and ${appVersions.status} = 'published' and ${appVersions.deletedAt} is null`,
);
