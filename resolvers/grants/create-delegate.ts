import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { Delegate } from '../../db/schema/projects.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import { moment } from '../../kernel/input/fields.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { newDelegateToken } from '../identity/shared/delegate-token.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import {
  delegateKinds,
  publicSubjectInput,
  scopeInput,
  scopeWithin,
  spendCapInput,
  subjectOf,
} from './delegate-input.ts';
import { delegateColumns, type IssuedDelegate, IssuedDelegateWire, issuedDelegateToWire } from './delegate-wire.ts';
import { badEnd, makerOf, onGrant, onItsProject, requireFuture, rowOf } from './grant-input.ts';
import { grantActions } from './shared/actions.ts';

interface HeldGrant {
  readonly id: string;
  readonly capability: string;
  readonly projectId: string;
  readonly expiresAt: Date | null;
  readonly now: Date;
}

/** `POST /projects/v1/:id/delegates`. Contract 01, section 6.7. */
export const createDelegate = mutation({
  name: 'delegates.create',
  tool: 'create_delegate',
  command: 'delegates create',
  summary: 'Make a delegate that narrows a grant; the token of an agent’s key is shown this once.',
  credentialBound: true,
  access: onItsProject(grantActions['project:delegates:write']),
  stepUp: 'project.grants',
  lifecycle: 'gated',
  input: z.object({
    ...onGrant,
    kind: z.enum(delegateKinds).default('svc_agent_key').describe('How the delegate proves itself.'),
    scope: scopeInput.describe(
      'What it may do: version 1, capabilities of its grant, and its project if any is named.',
    ),
    spend_cap: spendCapInput
      .nullish()
      .describe('What it may spend, in micro-dollars: version 1; no limit when absent.'),
    expires_at: moment
      .nullish()
      .describe('When it ends, with a time zone; with its grant when absent, and never later.'),
    public_subject: publicSubjectInput
      .nullish()
      .describe('What it is known by: an address, or the subject of a build’s tokens; an agent’s key has none.'),
  }),
  async handler(work, input): Promise<IssuedDelegate> {
    const { grant: id, kind, scope, spend_cap = null, expires_at, public_subject = null } = input;
    await lockProjectFor(work, grantActions['project:delegates:write']);
    const { org, project } = work;
    // Its grant cannot end before the delegate is written: whoever ends it then finds the delegate.
    const [grant] = await work.rows<HeldGrant>(lockGrantStatement, rowOf(work, id));
    if (grant === undefined) throw new ServiceError('GRANT_NOT_FOUND');
    const subject = subjectOf(kind, public_subject);
    const within = scopeWithin(scope, grant);
    requireFuture(expires_at ?? undefined, grant.now);
    if (expires_at != null && grant.expiresAt !== null && expires_at > grant.expiresAt) {
      throw badEnd('must not be later than the end of the grant');
    }
    await refuseOverQuota(
      work,
      { statement: countStatement, values: [org.id, project.id] },
      quota,
      limitsOf(org).delegatesPerProject,
    );
    const secret = kind === 'svc_agent_key' ? newDelegateToken() : undefined;
    const principalId = work.services.newId('prn');
    await work.rows(insertPrincipalStatement, [principalId, kind === 'ci_oidc' ? 'ci' : 'agent']);
    const [delegate] = await work.rows<Delegate>(insertStatement, [
      org.id,
      randomUUID(),
      project.id,
      grant.id,
      principalId,
      kind,
      secret?.hash ?? null,
      JSON.stringify(within),
      spend_cap === null ? null : JSON.stringify(spend_cap),
      subject,
      expires_at ?? grant.expiresAt,
      await makerOf(work),
    ]);
    work.authorityChanged(org.id);
    return { delegate: delegate!, token: secret?.token ?? null };
  },
  audit: ({ delegate }) => ({
    action: 'delegate.created',
    object: { kind: 'delegate', id: delegate.id },
    details: {
      project_id: delegate.projectId,
      grant_id: delegate.grantId,
      principal_id: delegate.principalId,
      kind: delegate.kind,
      scope: delegate.scope,
      expires_at: delegate.expiresAt?.toISOString() ?? null,
    },
  }),
  wire: IssuedDelegateWire,
  toWire: issuedDelegateToWire,
});

const quota = { scope: 'project', metric: 'delegates' } as const;

const countStatement: Statement = {
  name: 'delegates.count',
  text: `select count(*)::int as used from delegates d
    where d.org_id = $1 and d.project_id = $2 and ${grantHolds('d')}`,
};

const lockGrantStatement: Statement = {
  name: 'delegates.lock-grant',
  text: `select g.id, g.capability, g.project_id as "projectId", g.expires_at as "expiresAt", now() as now
    from project_grants g where g.org_id = $1 and g.project_id = $2 and g.id = $3 and ${grantHolds('g')} for share`,
};

const insertPrincipalStatement: Statement = {
  name: 'delegates.insert-principal',
  text: 'insert into principals (id, type) values ($1, $2)',
};

const insertStatement: Statement = {
  name: 'delegates.insert',
  text: `insert into delegates as d (org_id, id, project_id, grant_id, principal_id, kind, token_hash, scope, spend_cap,
      public_subject, expires_at, created_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning ${delegateColumns}`,
};
