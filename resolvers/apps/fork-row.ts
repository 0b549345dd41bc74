import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { appForks, appVersions, type NamedNeed } from '../../db/schema/apps.ts';
import { functionRuns, type RunError, type RunStatus } from '../../db/schema/function-runs.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, orNull, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { lookUntil } from '../../kernel/run/look-until.ts';
import { hostOfProject } from '../hosts/shared/host-urls.ts';
import { hostOfSubdomain } from '../hosts/shared/subdomain.ts';
import { originOfHost } from '../projects/shared/project-hosts.ts';

/** What a run of the function `bootstrap` came to. */
const run = {
  runStatus: functionRuns.status,
  runError: functionRuns.lastError,
  responseStatus: functionRuns.attemptStatus,
};

/** A fork with what its project and its first run say of it: what a statement selects from {@link forksAndProjects}. */
export const forkColumns = {
  ...allOf(appForks, ['lane', 'dueAt', 'lease', 'attempts', 'bootstrap']),
  ...pick(projects, 'publicId', 'schemaSlot', 'name'),
  projectCreatedAt: projects.createdAt,
  ...orNull({ requiredSecrets: appVersions.requiredSecrets, bootstrapVariables: appVersions.bootstrapVariables }),
  ...orNull(run),
};

export type Fork = RowOf<typeof forkColumns>;

// A version that was deleted is forgotten once no fork is made of it.
export const forksAndProjects = sql`${appForks} join ${projects} on ${projects.orgId} = ${appForks.orgId}
  and ${projects.id} = ${appForks.id}
  left join ${appVersions} on ${appVersions.id} = ${appForks.versionId}
  left join ${functionRuns} on ${functionRuns.id} = ${appForks.runId}`;

/** How the first run of a fork stands. */
const BootstrapWire = z.object({
  run_id: z.string(),
  status: z.string(),
  response_status: z.int().nullable().describe('What the function answered; null before it has.'),
});

const failureWire = z.object({ code: z.string(), message: z.string() });

/** A fork as it is answered, but for its keys. Contract 04, section 3.3. */
export const ForkWire = z
  .object({
    project_id: z.string(),
    org_id: z.uuid(),
    version_id: z.string(),
    status: z.enum(['creating', 'ready', 'failed']),
    schema_slot: z.string(),
    release_id: z.string().nullable(),
    site_url: z.string().optional(),
    subdomain_url: z.string().optional(),
    functions: z.array(z.object({ name: z.string(), url: z.string() })).optional(),
    paid_usd_micros: z.int().describe('What it cost.'),
    bootstrap_result: BootstrapWire.optional(),
    bootstrap_error: failureWire.optional(),
    missing_secrets: z
      .array(z.string())
      .describe('Keys of secrets that it needs and has not: nobody’s values are copied.'),
    error: failureWire.nullable(),
    next_actions: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'AppFork' });

/** A fork with what is read of its project. */
export interface ShownFork {
  readonly fork: Fork;
  readonly functions: readonly { readonly name: string; readonly url: string }[];
  readonly missingSecrets: readonly string[];
}

const unfinished: readonly RunStatus[] = ['scheduled', 'queued', 'running', 'retrying', 'blocked'];

/** What the function `bootstrap` came to, or why it was not run. */
export function bootstrapOf({ runId, runStatus, runError, responseStatus, bootstrapVariables, status }: Fork): {
  readonly result?: z.output<typeof BootstrapWire>;
  readonly error?: z.output<typeof failureWire>;
} {
  if (runId === null || runStatus === null) {
    const asked = bootstrapVariables?.map(({ name }: NamedNeed) => name) ?? [];
    if (asked.length === 0 || status !== 'ready') return {};
    const message = `The app asks for ${asked.join(', ')}, which were not given. Run its function bootstrap with them.`;
    return { error: { code: 'BOOTSTRAP_SKIPPED', message } };
  }
  const result = { run_id: runId, status: runStatus, response_status: responseStatus };
  if (runStatus === 'succeeded' || (unfinished.includes(runStatus) && runError === null)) return { result };
  const { code, message } = (runError as RunError | null) ?? {
    code: 'BOOTSTRAP_FAILED',
    message: `It was ${runStatus}.`,
  };
  return { result, error: { code, message } };
}

export const siteUrlOf = (services: Pick<Services, 'settings'>, { publicId, status }: Fork): string | undefined =>
  status === 'ready' ? originOfHost(services, hostOfProject(services, publicId)) : undefined;

export const subdomainUrlOf = (
  services: Pick<Services, 'settings'>,
  { subdomain, status }: Fork,
): string | undefined =>
  subdomain !== null && status === 'ready' ? originOfHost(services, hostOfSubdomain(services, subdomain)) : undefined;

/** What may be done with a fork now. */
export function forkActionsOf({ fork, missingSecrets }: ShownFork) {
  const { id, versionId, status } = fork;
  if (status === 'creating') return [{ type: 'poll', method: 'GET', path: `/fork/v1/${id}` }];
  if (status === 'failed')
    return [
      {
        type: 'retry',
        method: 'POST',
        path: '/fork/v1',
        why: 'What it cost is in the balance again.',
        version_id: versionId,
      },
    ];
  return missingSecrets.map((key) => ({
    type: 'set_secret',
    method: 'POST',
    path: `/projects/v1/admin/${id}/secrets`,
    why: `The app needs the secret ${key}.`,
  }));
}

export function forkToWire(services: Pick<Services, 'settings'>, shown: ShownFork): z.output<typeof ForkWire> {
  const { fork, functions, missingSecrets } = shown;
  const [siteUrl, subdomainUrl, { result, error }] = [
    siteUrlOf(services, fork),
    subdomainUrlOf(services, fork),
    bootstrapOf(fork),
  ];
  return {
    project_id: fork.id,
    org_id: fork.orgId,
    version_id: fork.versionId,
    status: fork.status,
    schema_slot: fork.schemaSlot,
    release_id: fork.releaseId,
    ...(siteUrl === undefined ? {} : { site_url: siteUrl }),
    ...(subdomainUrl === undefined ? {} : { subdomain_url: subdomainUrl }),
    ...(fork.status === 'ready' ? { functions: functions.map(({ name, url }) => ({ name, url })) } : {}),
    paid_usd_micros: fork.status === 'failed' ? 0 : Number(fork.price),
    ...(result === undefined ? {} : { bootstrap_result: result }),
    ...(error === undefined ? {} : { bootstrap_error: error }),
    missing_secrets: [...missingSecrets],
    error: fork.error,
    next_actions: forkActionsOf(shown),
  };
}

/** @throws APP_FORK_NOT_FOUND */
export async function findFork(rows: Rows, id: string): Promise<Fork> {
  const [found] = await rows(findStatement.with({ id }));
  if (found === undefined) throw new ServiceError('APP_FORK_NOT_FOUND', { details: { project_id: id } });
  return found;
}

/** A fork once it is there and its function `bootstrap` was run, or as it stands after a while: it goes on by itself. */
export const endOfFork = (ctx: Context, begun: Fork): Promise<Fork> =>
  lookUntil(
    ctx,
    async () => (await ctx.services.db.rows(findStatement.with({ id: begun.id })))[0] ?? begun,
    ({ status, runStatus }) =>
      status !== 'creating' && (runStatus === null || runStatus === 'retrying' || !unfinished.includes(runStatus)),
  );

const findStatement = statement(
  'forks.find',
  { params: pick(appForks, 'id'), row: forkColumns },
  ({ id }, row) => sql`select ${row} from ${forksAndProjects} where ${appForks.id} = ${id}`,
);
