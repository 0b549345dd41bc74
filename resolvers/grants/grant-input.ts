import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
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

/** The parameters that a row of a project is found by; ids that cannot be one find nothing. */
export const rowOf = ({ org, project }: ProjectScope, id: string): readonly (string | null)[] => [
  org.id,
  project.id,
  isUuid(id) ? id : null,
];

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
