import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { appVersions, appVisibilities, type NamedNeed } from '../../db/schema/apps.ts';
import { computed, insertInto, pick, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { appVersionsPerProject } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import type { Context } from '../../kernel/run/context.ts';
import { lookUntil } from '../../kernel/run/look-until.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { liveState } from '../deploys/shared/live-state.ts';
import { databaseOf } from '../project-data/shared/in-project.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { AppSummaryWire, type AppVersion, findVersion, findVersionStatement, versionToWire } from './app-row.ts';
import { contentsOfRelease, lowestTier } from './contents.ts';
import { appActions } from './shared/actions.ts';

export const ofProject = ({ project }: { readonly project: string }): string => project;

const action = appActions['project:apps:write'];

const description = z.string().trim().min(1).max(2_000);
const whatFor = z.string().trim().min(1).max(200).optional().describe('What it is for.');
const needs = 20;

/** What a publisher may say of a version, then and later. */
export const sayings = {
  description: description.nullable().optional().describe('What it does, for people: 2,000 characters at most.'),
  tags: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and hyphens'))
    .max(10)
    .optional()
    .describe('Words that it is found by, 10 at most.'),
  visibility: z
    .enum(appVisibilities)
    .optional()
    .describe('`public` is found by browsing, `unlisted` by its id, `private` by its own organization alone.'),
  fork_allowed: z.boolean().optional().describe('Whether others may make projects from it.'),
  fork_price_usd_micros: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .multipleOf(10_000, 'must be whole cents')
    .optional()
    .describe('What a fork costs whoever makes one, in micro-dollars and whole cents. It is credited to your balance.'),
};

/** `POST /projects/v1/admin/:id/publish`. Contract 04, section 3.3. */
export const publishApp = mutation({
  name: 'apps.publish',
  tool: 'publish_app',
  command: 'apps publish',
  duration: 'long',
  summary:
    'Publish what a project serves now as a version that others may fork: its release and its schema, never its data or secrets.',
  path: 'POST /projects/v1/admin/:project_id/publish 201',
  access: onProject(action, ofProject),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    ...sayings,
    required_secrets: z
      .array(
        z.strictObject({
          key: z
            .string()
            .regex(/^[A-Z][A-Z0-9_]{0,127}$/)
            .describe('The key of the secret.'),
          description: whatFor,
        }),
      )
      .max(needs)
      .optional()
      .describe('Keys of secrets that a fork has to set, beside those that the release requires. Never values.'),
    required_actions: z
      .array(
        z.strictObject({
          action: z.string().trim().min(1).max(64).describe('What has to be done.'),
          description: whatFor,
        }),
      )
      .max(needs)
      .optional()
      .describe('What else has to be done before a fork works.'),
    bootstrap_variables: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
            .describe('The name of the variable.'),
          description: whatFor,
        }),
      )
      .max(needs)
      .optional()
      .describe('Variables that whoever forks gives to the function `bootstrap`, which is run once in the fork.'),
  }),
  async handler(work, input): Promise<AppVersion> {
    const { org, services } = work;
    const project = await lockProjectFor(work, action);
    databaseOf({ org, project });
    if (project.branch !== null) throw new ServiceError('APP_IS_BRANCH');
    const owner = { orgId: org.id, projectId: project.id };
    await refuseOverQuota(
      work,
      countStatement.with({ projectId: project.id }),
      { scope: 'project', metric: 'app_versions' },
      appVersionsPerProject,
    );
    const live = await liveState(work.rows, owner);
    if (live === null) throw new ServiceError('APP_NOTHING_TO_PUBLISH');
    const { releaseId, state } = live;
    const bootstrap = input.bootstrap_variables?.map(({ name, description: text }) => needOf(name, text)) ?? null;
    if (bootstrap !== null && !state.functions.has('bootstrap'))
      throw new ServiceError('APP_VARIABLES_INVALID', {
        message: 'The release has no function `bootstrap` to give variables to.',
        details: { field: 'bootstrap_variables' },
      });
    const contents = contentsOfRelease(state);
    const id = services.newId('appv');
    await work.rows(
      insertStatement.with({
        ...owner,
        id,
        releaseId,
        name: project.name,
        description: input.description ?? null,
        tags: [...new Set(input.tags ?? [])],
        visibility: input.visibility ?? 'private',
        forkAllowed: input.fork_allowed ?? false,
        forkPrice: BigInt(input.fork_price_usd_micros ?? 0),
        minTier: lowestTier(state, contents),
        requiredSecrets: JSON.stringify(secretsOf(state.secretKeys, input.required_secrets ?? [])),
        requiredActions: JSON.stringify(
          (input.required_actions ?? []).map(({ action: name, description: text }) => needOf(name, text)),
        ),
        bootstrapVariables: bootstrap === null ? null : JSON.stringify(bootstrap),
        contents: JSON.stringify(contents),
      }),
    );
    work.afterCommit(() => services.appVersionWork.wake());
    return findVersion(work.rows, owner, id);
  },
  audit: ({ id, projectId: project, number, visibility, releaseId }) => ({
    action: 'app.published',
    object: { kind: 'app_version', id },
    details: { project_id: project, version: number, visibility, release_id: releaseId },
  }),
  wire: AppSummaryWire,
  toWire: async (begun: AppVersion, ctx) => versionToWire(ctx.services, await endOfVersion(ctx, begun)),
});

const needOf = (name: string, description: string | undefined): NamedNeed => ({
  name,
  ...(description === undefined ? {} : { description }),
});

/** The secrets that a release requires and those that its publisher names, each once. */
function secretsOf(
  required: readonly string[],
  named: readonly { readonly key: string; readonly description?: string | undefined }[],
): NamedNeed[] {
  const needs = new Map(required.map((key) => [key, needOf(key, undefined)]));
  for (const { key, description: text } of named) needs.set(key, needOf(key, text));
  return [...needs.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The version once it is published, or as it stands after a while: it goes on by itself. */
export const endOfVersion = (ctx: Context, begun: AppVersion): Promise<AppVersion> =>
  lookUntil(
    ctx,
    async () => (await ctx.services.db.rows(findVersionStatement.with(begun)))[0] ?? begun,
    ({ status, error }) => status !== 'draft' || error !== null,
  );

const countStatement = statement(
  'apps.count',
  { params: pick(appVersions, 'projectId'), row: { used: computed<number>('integer', sql`count(*)::int`) } },
  ({ projectId: project }, row) => sql`select ${row} from ${appVersions}
    where ${appVersions.projectId} = ${project} and ${appVersions.deletedAt} is null and ${appVersions.error} is null`,
);

const insertStatement = statement(
  'apps.insert',
  {
    params: pick(
      appVersions,
      'orgId',
      'id',
      'projectId',
      'releaseId',
      'name',
      'description',
      'tags',
      'visibility',
      'forkAllowed',
      'forkPrice',
      'minTier',
      'requiredSecrets',
      'requiredActions',
      'bootstrapVariables',
      'contents',
    ),
  },
  (given) =>
    insertInto(appVersions, {
      ...given,
      // The row of the project is locked. A number is never used twice while a version has it.
      number: sql`(select coalesce(max(${appVersions.number}), 0) + 1 from ${appVersions}
        where ${appVersions.projectId} = ${given.projectId})`,
      status: sql`'draft'`,
      dueAt: sql`now()`,
    }),
);
