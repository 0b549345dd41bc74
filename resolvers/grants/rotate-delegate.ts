import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { delegates, projectGrants } from '../../db/schema/projects.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { holdRight } from '../../kernel/access/hold-right.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { newDelegateToken } from '../identity/shared/delegate-token.ts';
import { delegateColumns, type IssuedDelegate, IssuedDelegateWire, issuedDelegateToWire } from './delegate-wire.ts';
import { hasKey, keyOf, keyOfGrant, onDelegate, onItsProject } from './grant-input.ts';
import { grantActions } from './shared/actions.ts';

/** `POST /projects/v1/:id/delegates/:delegate_id/rotate`: never gated, since it also puts out a leaked token. */
export const rotateDelegate = mutation({
  name: 'delegates.rotate',
  tool: 'rotate_delegate',
  command: 'delegates rotate',
  effects: ['destructive'],
  summary: 'Give an agent’s key a new token, shown this once; the old one ends at once.',
  credentialBound: true,
  access: onItsProject(grantActions['project:delegates:write']),
  stepUp: 'project.grants',
  input: z.object(onDelegate),
  async handler(work, { delegate: id }): Promise<IssuedDelegate> {
    await holdRight(work, grantActions['project:delegates:write']);
    const { token, hash } = newDelegateToken();
    const [delegate] = await work.rows(rotateStatement.with({ ...keyOf(work, id), tokenHash: hash }));
    if (delegate === undefined) throw new ServiceError('DELEGATE_NOT_FOUND');
    if (delegate.kind !== 'svc_agent_key') {
      const reason = `a delegate of the kind ${delegate.kind} has no token`;
      throw invalidField('delegate_id', reason);
    }
    work.authorityChanged(work.org.id);
    return { delegate, token };
  },
  audit: ({ delegate }) => ({
    action: 'delegate.rotated',
    object: { kind: 'delegate', id: delegate.id },
    details: { project_id: delegate.projectId, grant_id: delegate.grantId },
  }),
  wire: IssuedDelegateWire,
  toWire: issuedDelegateToWire,
});

const rotateStatement = statement(
  'delegates.rotate',
  { params: { ...keyOfGrant, ...pick(delegates, 'tokenHash') }, row: delegateColumns },
  ({ tokenHash, ...key }, row) => sql`update ${delegates} ${setOf(delegates, { tokenHash })} from ${projectGrants}
    where ${hasKey(delegates, key)} and ${grantHolds(delegates)} and ${projectGrants.orgId} = ${delegates.orgId}
      and ${projectGrants.id} = ${delegates.grantId} and ${grantHolds(projectGrants)}
    returning ${row}`,
);
