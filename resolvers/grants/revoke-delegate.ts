import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { Delegate } from '../../db/schema/projects.ts';
import { holdRight } from '../../kernel/access/hold-right.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { delegateColumns } from './delegate-wire.ts';
import { onDelegate, onItsProject, rowOf } from './grant-input.ts';
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
    const [delegate] = await work.rows<Delegate>(revokeStatement, rowOf(work, id));
    if (delegate === undefined) throw new ServiceError('DELEGATE_NOT_FOUND');
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

const revokeStatement: Statement = {
  name: 'delegates.revoke',
  text: `update delegates d set revoked_at = now()
    where d.org_id = $1 and d.project_id = $2 and d.id = $3 and d.revoked_at is null returning ${delegateColumns}`,
};
