import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projectGrants } from '../../db/schema/projects.ts';
import { setOf, statement } from '../../db/sql.ts';
import { holdRight } from '../../kernel/access/hold-right.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { endDelegates } from './end-delegates.ts';
import { hasKey, keyOf, keyOfGrant, onGrant, onItsProject } from './grant-input.ts';
import { grantActions } from './shared/actions.ts';
import { type GrantRow, grantColumns } from './wire.ts';

export interface RevokedGrant {
  readonly grant: GrantRow;
  /** Delegates that ended with it. */
  readonly delegates: readonly string[];
}

/** `DELETE /projects/v1/:id/grants/:grant_id`. Contract 01, section 6.6. */
export const revokeGrant = mutation({
  name: 'grants.revoke',
  tool: 'revoke_project_grant',
  command: 'grants revoke',
  effects: ['destructive', 'idempotent'],
  summary: 'End a grant, and every delegate that narrows it.',
  access: onItsProject(grantActions['project:grants:write']),
  stepUp: 'project.grants',
  input: z.object(onGrant),
  async handler(work, { grant: id }): Promise<RevokedGrant> {
    await holdRight(work, grantActions['project:grants:write']);
    const [grant] = await work.rows(revokeStatement.with(keyOf(work, id)));
    if (grant === undefined) throw new ServiceError('GRANT_NOT_FOUND');
    const delegates = await endDelegates(work, work, [grant]);
    work.authorityChanged(work.org.id);
    return { grant, delegates };
  },
  audit: ({ grant, delegates }) => ({
    action: 'grant.revoked',
    object: { kind: 'grant', id: grant.id },
    details: {
      project_id: grant.projectId,
      principal_id: grant.principalId,
      capability: grant.capability,
      delegate_ids: delegates,
    },
  }),
  wire: z.object({ status: z.literal('revoked'), grant_id: z.uuid() }),
  toWire: ({ grant }) => ({ status: 'revoked' as const, grant_id: grant.id }),
});

const revokeStatement = statement(
  'grants.revoke',
  { params: keyOfGrant, row: grantColumns },
  (given, row) => sql`update ${projectGrants} ${setOf(projectGrants, { revokedAt: sql`now()` })}
    where ${hasKey(projectGrants, given)} and ${projectGrants.revokedAt} is null returning ${row}`,
);
