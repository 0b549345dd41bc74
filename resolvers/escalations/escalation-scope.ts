import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Escalation, escalations } from '../../db/schema/escalations.ts';
import type { OrgScope } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';

/** Any text is an id that nobody has. */
const escalationId = z.string().min(1).max(64).describe('Escalation, a UUID.');

/** The pair that names one escalation. */
export const escalationAddress = { org: orgId, escalation: escalationId };

export const escalationColumns = columnsOf(escalations, 'e');

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
  const [found] = isUuid(id) ? await rows<Escalation>(findStatement, [orgId, id, owner]) : [];
  if (found === undefined) throw noEscalation(id);
  return found;
}

export const noEscalation = (id: string) =>
  new ServiceError('RESOURCE_NOT_FOUND', {
    message: 'There is no such escalation.',
    details: { escalation_id: id },
  });

const findStatement: Statement = {
  name: 'escalations.find',
  pipelined: true,
  text: `select ${escalationColumns} from escalations e
    where e.org_id = $1 and e.id = $2 and ($3::text is null or e.raised_by = $3)`,
};
