import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { principals } from '../../db/schema/identity.ts';
import { delegates, projectGrants } from '../../db/schema/projects.ts';
import { computed, insertInto, pick, statement } from '../../db/sql.ts';
import type { Capability } from '../../kernel/access/permissions.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import { moment, projectId } from '../../kernel/input/fields.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { newDelegateToken } from '../identity/shared/delegate-token.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { addGrant } from './add-grant.ts';
import {
  type DelegateKind,
  delegateKinds,
  publicSubjectInput,
  scopeInput,
  scopeWithin,
  spendCapInput,
  subjectOf,
} from './delegate-input.ts';
import { delegateColumns, type IssuedDelegate, IssuedDelegateWire, issuedDelegateToWire } from './delegate-wire.ts';
import { badEnd, hasKey, keyOf, keyOfGrant, makerOf, onGrant, onItsProject, requireFuture } from './grant-input.ts';
import { grantActions } from './shared/actions.ts';

/** `POST /projects/v1/:id/delegates`. Contract 01, section 6.7. */
export const createDelegate = mutation({
  name: 'delegates.create',
  tool: 'create_delegate',
  command: 'delegates create',
  summary: 'Make a delegate that narrows a grant, or one for an agent; the token of an agent’s key is shown this once.',
  credentialBound: true,
  access: onItsProject(grantActions['project:delegates:write']),
  stepUp: 'project.grants',
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    for: z
      .literal('agent', 'must be `agent`')
      .optional()
      .describe(
        '`agent`: may read, change and deploy the project, by a grant of its own, in place of `grant` and `scope`.',
      ),
    grant: onGrant.grant.optional().describe('Grant that it narrows, a UUID; not with `for`.'),
    kind: z.enum(delegateKinds).default('svc_agent_key').describe('How the delegate proves itself.'),
    scope: scopeInput.describe(
      'What it may do: version 1, capabilities of its grant, and its project if any is named; not with `for`.',
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
    const { kind, spend_cap = null, expires_at, public_subject = null } = input;
    const asked = askedFor(input);
    await lockProjectFor(work, grantActions['project:delegates:write']);
    const { org, project } = work;
    const principalId = work.services.newId('prn');
    const newPrincipal = insertPrincipalStatement.with({ id: principalId, type: kind === 'ci_oidc' ? 'ci' : 'agent' });
    // An agent holds its grant itself, so that it ends with the agent and not with the owner who connected it.
    if (asked.grantId === undefined) await work.rows(newPrincipal);
    const grantId =
      asked.grantId ?? (await addGrant(work, { principalId, capability: forAgents, policy: null, expiresAt: null })).id;
    // Its grant cannot end before the delegate is written: whoever ends it then finds the delegate.
    const [grant] = await work.rows(lockGrantStatement.with(keyOf(work, grantId)));
    if (grant === undefined) throw new ServiceError('GRANT_NOT_FOUND');
    const subject = subjectOf(kind, public_subject);
    const within = scopeWithin(asked.scope, grant);
    requireFuture(expires_at ?? undefined, grant.now);
    if (expires_at != null && grant.expiresAt !== null && expires_at > grant.expiresAt) {
      throw badEnd('must not be later than the end of the grant');
    }
    await refuseOverQuota(
      work,
      countStatement.with({ orgId: org.id, projectId: project.id }),
      quota,
      limitsOf(org).delegatesPerProject,
    );
    const secret = kind === 'svc_agent_key' ? newDelegateToken() : undefined;
    if (asked.grantId !== undefined) await work.rows(newPrincipal);
    const inserted = insertStatement.with({
      orgId: org.id,
      id: randomUUID(),
      projectId: project.id,
      grantId: grant.id,
      principalId,
      kind,
      tokenHash: secret?.hash ?? null,
      scope: JSON.stringify(within),
      spendCap: spend_cap === null ? null : JSON.stringify(spend_cap),
      publicSubject: subject,
      expiresAt: expires_at ?? grant.expiresAt,
      createdBy: await makerOf(work),
    });
    const [delegate] = await work.rows(inserted);
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

/** What an agent is given that is connected in one step: what its first steps take. */
const forAgents = 'project:write' satisfies Capability;

interface Asked {
  readonly for?: 'agent' | undefined;
  readonly grant?: string | undefined;
  readonly scope: z.output<typeof scopeInput>;
  readonly kind: DelegateKind;
}

/** The grant that is narrowed, and to what; no grant where an agent gets one of its own. @throws VALIDATION_FAILED */
function askedFor({ for: whom, grant, scope, kind }: Asked): Pick<Asked, 'scope'> & { readonly grantId?: string } {
  if (whom === undefined) {
    if (grant === undefined) throw invalidField('grant_id', 'is required, or `for`');
    return { grantId: grant, scope };
  }
  if (grant !== undefined) throw invalidField('grant_id', 'does not go with `for`');
  if (scope !== null) throw invalidField('scope', 'does not go with `for`');
  if (kind !== 'svc_agent_key') throw invalidField('kind', 'must be svc_agent_key with `for`');
  return { scope: { v: 1, capabilities: [forAgents] } };
}

const quota = { scope: 'project', metric: 'delegates' } as const;

const countStatement = statement(
  'delegates.count',
  {
    params: pick(delegates, 'orgId', 'projectId'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ orgId, projectId }, row) => sql`select ${row} from ${delegates}
    where ${delegates.orgId} = ${orgId} and ${delegates.projectId} = ${projectId} and ${grantHolds(delegates)}`,
);

const lockGrantStatement = statement(
  'delegates.lock-grant',
  {
    params: keyOfGrant,
    row: {
      ...pick(projectGrants, 'id', 'capability', 'projectId', 'expiresAt'),
      now: computed<Date>('timestamp with time zone', sql`now()`),
    },
  },
  (given, row) => sql`select ${row} from ${projectGrants}
    where ${hasKey(projectGrants, given)} and ${grantHolds(projectGrants)} for share`,
);

const insertPrincipalStatement = statement(
  'delegates.insert-principal',
  { params: pick(principals, 'id', 'type') },
  (given) => insertInto(principals, given),
);

const insertStatement = statement(
  'delegates.insert',
  {
    params: {
      ...pick(delegates, 'orgId', 'id', 'projectId', 'grantId', 'principalId', 'kind', 'tokenHash', 'scope'),
      ...pick(delegates, 'spendCap', 'publicSubject', 'expiresAt', 'createdBy'),
    },
    row: delegateColumns,
  },
  (given, row) => sql`${insertInto(delegates, given)} returning ${row}`,
);
