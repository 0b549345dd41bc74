import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type delegates, projectGrants } from '../../db/schema/projects.ts';
import { pick, typed } from '../../db/sql.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Action } from '../../kernel/access/permissions.ts';
import { projectId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';

/** An action on a project that every input of this family names. */
export const onItsProject = (action: Action) => onProject(action, ({ project }: { project: string }) => project);

/** Any text is an id that nobody has. */
const innerId = z.string().min(1).max(64);

export const onGrant = { project: projectId, grant: innerId.describe('Grant, a UUID.') };
export const onDelegate = { project: projectId, delegate: innerId.describe('Delegate, a UUID.') };

/** The key of a row of a project. An id that cannot be one finds nothing. */
export const keyOf = ({ org, project }: ProjectScope, id: string) => ({
  orgId: org.id,
  projectId: project.id,
  id: isUuid(id) ? id : null,
});

/** The parameters of statements that find a row by {@link keyOf}. */
export const keyOfGrant = { ...pick(projectGrants, 'orgId', 'projectId'), id: typed<string | null>('uuid') };

/** The row of {@link keyOf}. */
export const hasKey = (
  table: typeof projectGrants | typeof delegates,
  { orgId, projectId, id }: { readonly orgId: SQL; readonly projectId: SQL; readonly id: SQL },
): SQL => sql`${table.orgId} = ${orgId} and ${table.projectId} = ${projectId} and ${table.id} = ${id}`;

/** @throws VALIDATION_FAILED for an end that is not in the future; undefined is no end */
export function requireFuture(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt !== undefined && expiresAt <= now) throw badEnd('must be in the future');
}

/** The refusal of an end. */
export const badEnd = (reason: string) => invalidField('expires_at', reason);

/** The principal that makes something, for its row. */
export async function makerOf(ctx: Context): Promise<string | null> {
  const caller = await ctx.caller();
  return principalIdOf(caller);
}
