import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { sql } from '../../db/drizzle.ts';
import { type Escalation, escalations } from '../../db/schema/escalations.ts';
import { allOf, pick, statement, typed } from '../../db/sql.ts';
import type { OrgScope } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';

/** Any text is an id that nobody has. */
const escalationId = z.string().min(1).max(64).describe('Escalation, a UUID.');

/** The pair that names one escalation. */
export const escalationAddress = { org: orgId, escalation: escalationId };

/**
 * Whose escalations a caller sees: everybody's for a member (null), and its own for a delegate and for whoever is let in
 * by a grant.
 */
export async function ownerSeen(ctx: Context & OrgScope): Promise<string | null> {
  return ctx.authority.kind === 'membership' ? null : principalIdOf(await ctx.caller());
}

/** One that the caller sees. @throws RESOURCE_NOT_FOUND for absent ones and those of others alike */
export async function findEscalation(
  { rows }: { readonly rows: Work['rows'] },
  orgId: string,
  id: string,
  owner: string | null,
): Promise<Escalation> {
  const [found] = isUuid(id) ? await rows(findStatement.with({ orgId, id, owner })) : [];
  if (found === undefined) throw noEscalation(id);
  return found;
}

export const noEscalation = (id: string) =>
  new ServiceError('RESOURCE_NOT_FOUND', {
    message: 'There is no such escalation.',
    details: { escalation_id: id },
  });

const findStatement = statement(
  'escalations.find',
  {
    params: { ...pick(escalations, 'orgId', 'id'), owner: typed<string | null>('text') },
    row: allOf(escalations),
    pipelined: true,
  },
  (given, row) => sql`select ${row} from ${escalations} where ${escalations.orgId} = ${given.orgId}
    and ${escalations.id} = ${given.id} and (${given.owner}::text is null or ${escalations.raisedBy} = ${given.owner})`,
);
