import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { idempotencyKeys } from '../../db/schema/platform.ts';
import { projects, stepOperations } from '../../db/schema/projects.ts';
import { allOf, partOf, pick, prefixed, statement } from '../../db/sql.ts';
import { type Access, onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { type Caller, callerKey, isPrincipal } from '../../kernel/access/caller.ts';
import { projectColumns as ownColumns, projectOf } from '../../kernel/access/project-columns.ts';
import { isKey } from '../../kernel/durability/idempotency.ts';
import { projectId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { stepMutation } from '../../kernel/run/operation.ts';
import { projectActions } from './shared/actions.ts';
import { beginDeletion, endDeletion } from './shared/begin-deletion.ts';
import { lockProjectFor } from './shared/lock-project.ts';
import type { ProjectRow } from './shared/wire.ts';

const name = 'projects.delete';

interface DeleteProjectInput {
  readonly project: string;
}

const onLiveProject = onProject(projectActions['project:delete'], ({ project }: DeleteProjectInput) => project);

const access: Access<DeleteProjectInput, ProjectScope> = {
  action: projectActions['project:delete'],
  addressed: ({ project }) => project,
  async authorise(ctx, caller, input) {
    try {
      return await onLiveProject.authorise(ctx, caller, input);
    } catch (refusal) {
      const begun = await begunBefore(ctx, caller, input);
      if (begun === undefined) throw refusal;
      return begun;
    }
  },
  // Whoever holds the key of a project that was deleted is told so; to anybody else it never was.
  refusalOf: (refusal, { project }) => {
    const { reason, project_id: own } = refusal instanceof ServiceError ? refusal.details : {};
    return reason === 'project_deleted' && own === project ? new ServiceError('PROJECT_NOT_FOUND') : refusal;
  },
};

/** `DELETE /projects/v1/:id`. Contract 01, section 5.8. */
export const deleteProject = stepMutation({
  name,
  tool: 'delete_project',
  command: 'projects delete',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete a project with its database, keys and names, for good. Messages and events are kept.',
  access,
  stepUp: 'project.delete',
  lifecycle: 'owned',
  input: z.object({ project: projectId }),
  steps: {
    async begin(work) {
      const project = await lockProjectFor(work, projectActions['project:delete']);
      // Its database is being made at this moment, and would be left behind.
      if (project.state === 'provisioning') throw new ServiceError('PROJECT_NOT_READY', { retryAfter: 1 });
      return beginDeletion(work, project);
    },
    effect: ({ services }, ref) => services.projectDatabases.drop(ref as unknown as ProjectDatabase),
    settle: (work, ref): Promise<ProjectRow> => endDeletion(work, ref),
  },
  wire: z.object({ status: z.literal('purged'), project_id: z.string() }),
  toWire: ({ id }) => ({ status: 'purged' as const, project_id: id }),
});

/**
 * The project whose deletion this caller began under the key that it sends again: it may learn how that ended, though
 * the project is not there any more.
 */
async function begunBefore(
  { services, request }: Context,
  caller: Caller,
  { project }: DeleteProjectInput,
): Promise<ProjectScope | undefined> {
  const { idempotencyKey: key, address } = request;
  if (key === undefined || !isKey(key) || !isPrincipal(caller)) return undefined;
  const asked = { scope: callerKey(caller, address), operation: name, key, project };
  const [row] = await services.db.rows(begunStatement.with(asked));
  if (row === undefined) return undefined;
  return {
    org: orgOf(row)!,
    project: projectOf(row)!,
    authority: { kind: 'system', reason: 'repeated_request' },
  };
}

const orgColumns = allOf(orgs);
const orgOf = partOf('org.', orgColumns);

const begunStatement = statement(
  'projects.deletion-begun',
  {
    params: { ...pick(idempotencyKeys, 'scope', 'operation', 'key'), project: projects.id },
    row: { ...prefixed('project.', ownColumns), ...prefixed('org.', orgColumns) },
  },
  ({ scope, operation, key, project }, row) => sql`select ${row} from ${idempotencyKeys}
    join ${stepOperations} on ${stepOperations.id} = ${idempotencyKeys.stepId}
      and ${stepOperations.operation} = ${idempotencyKeys.operation}
    join ${projects} on ${projects.orgId} = ${stepOperations.orgId}
      and ${projects.id} = ${stepOperations.ref}->>'projectId'
    join ${orgs} on ${orgs.id} = ${projects.orgId}
    where ${idempotencyKeys.scope} = ${scope} and ${idempotencyKeys.operation} = ${operation}
      and ${idempotencyKeys.key} = ${key} and ${projects.id} = ${project}`,
);
