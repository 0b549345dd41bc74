import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Delegate, delegates, projectGrants } from '../../db/schema/projects.ts';
import { setOf, statement } from '../../db/sql.ts';
import { holdRight } from '../../kernel/access/hold-right.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { delegateColumns } from './delegate-wire.ts';
import { hasKey, keyOf, keyOfGrant, onDelegate, onItsProject } from './grant-input.ts';
import { grantActions } from './shared/actions.ts';

/** `DELETE /projects/v1/:id/delegates/:delegate_id`. Contract 01, section 6.7. */
export const revokeDelegate = mutation({
  name: 'delegates.revoke',
  tool: 'revoke_delegate',
  command: 'delegates revoke',
  effects: ['destructive', 'idempotent'],
  summary: 'End a delegate, and with it its token.',
  access: onItsProject(grantActions['project:delegates:write']),
  stepUp: 'project.grants',
  input: z.object(onDelegate),
  async handler(work, { delegate: id }): Promise<Delegate> {
    await holdRight(work, grantActions['project:delegates:write']);
    const [delegate] = await work.rows(revokeStatement.with(keyOf(work, id)));
    if (delegate === undefined) throw new ServiceError('DELEGATE_NOT_FOUND');
    await work.rows(endOwnGrantStatement.with({ ...keyOf(work, delegate.grantId), principalId: delegate.principalId }));
    work.authorityChanged(work.org.id);
    return delegate;
  },
  audit: (delegate) => ({
    action: 'delegate.revoked',
    object: { kind: 'delegate', id: delegate.id },
    details: { project_id: delegate.projectId, grant_id: delegate.grantId },
  }),
  wire: z.object({ status: z.literal('revoked'), delegate_id: z.uuid() }),
  toWire: ({ id }) => ({ status: 'revoked' as const, delegate_id: id }),
});

const revokeStatement = statement(
  'delegates.revoke',
  { params: keyOfGrant, row: delegateColumns },
  (given, row) => sql`update ${delegates} ${setOf(delegates, { revokedAt: sql`now()` })}
    where ${hasKey(delegates, given)} and ${delegates.revokedAt} is null returning ${row}`,
);

/** The grant of an agent that was connected in one step is held by the delegate itself, and of use to nobody else. */
const endOwnGrantStatement = statement(
  'delegates.end-own-grant',
  { params: { ...keyOfGrant, principalId: delegates.principalId } },
  ({ principalId, ...given }) => sql`update ${projectGrants} ${setOf(projectGrants, { revokedAt: sql`now()` })}
    where ${hasKey(projectGrants, given)} and ${projectGrants.principalId} = ${principalId}
      and ${projectGrants.revokedAt} is null`,
);
