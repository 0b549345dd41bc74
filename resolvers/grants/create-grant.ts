import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { principals } from '../../db/schema/identity.ts';
import { projectGrants } from '../../db/schema/projects.ts';
import { computed, pick, setOf, statement } from '../../db/sql.ts';
import { capabilities } from '../../kernel/access/permissions.ts';
import { moment, projectId, walletAddress } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { findOrCreatePrincipal } from '../identity/shared/subject-principal.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { addGrant } from './add-grant.ts';
import { endDelegates } from './end-delegates.ts';
import { onItsProject, requireFuture } from './grant-input.ts';
import { grantPolicy } from './policy.ts';
import { grantActions } from './shared/actions.ts';
import { type GrantRow, grantColumns } from './wire.ts';

export interface GivenGrant {
  readonly grant: GrantRow;
  /** False: the principal held it already, and nothing was changed. */
  readonly created: boolean;
}

/** `POST /projects/v1/:id/grants`. Contract 01, section 6.6. */
export const createGrant = mutation({
  name: 'grants.create',
  tool: 'create_project_grant',
  command: 'grants create',
  effects: ['idempotent'],
  summary: 'Give a wallet a capability on a project; one it holds already stays as it is.',
  access: onItsProject(grantActions['project:grants:write']),
  stepUp: 'project.grants',
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    wallet: walletAddress.describe('Address of who gets it, in any letter case; it need not have been seen yet.'),
    capability: z.enum(capabilities).describe('What the grant allows on the project.'),
    policy: grantPolicy
      .nullish()
      .describe('Conditions to keep beside the grant: an object, at most 8 KiB and 8 levels deep.'),
    expires_at: moment.nullish().describe('When the grant ends, with a time zone; never when absent.'),
  }),
  async handler(work, { wallet, capability, policy = null, expires_at }): Promise<GivenGrant> {
    const { org, project } = work;
    const subject = { kind: 'wallet', publicSubject: wallet } as const;
    const { principalId } = await findOrCreatePrincipal(work, subject, work.org.id, 'agent');
    // Those who give something to one principal wait for each other, so that what is found here is what there is. It is
    // locked before the project and the maker's own membership, as everywhere.
    const [clock] = await work.rows(lockStatement.with({ id: principalId }));
    await lockProjectFor(work, grantActions['project:grants:write']);
    requireFuture(expires_at ?? undefined, clock!.now);
    const key = { orgId: org.id, projectId: project.id, principalId, capability };
    // One whose time is over no longer holds, but stands in the way of the next.
    const over = await work.rows(endExpiredStatement.with(key));
    await endDelegates(work, work, over);
    const [held] = await work.rows(heldStatement.with(key));
    if (held !== undefined) return { grant: held, created: false };
    const grant = await addGrant(work, { principalId, capability, policy, expiresAt: expires_at ?? null });
    work.authorityChanged(org.id);
    return { grant, created: true };
  },
  audit: ({ grant, created }, { wallet }) =>
    created
      ? {
          action: 'grant.created',
          object: { kind: 'grant', id: grant.id },
          details: {
            project_id: grant.projectId,
            principal_id: grant.principalId,
            wallet,
            capability: grant.capability,
            expires_at: grant.expiresAt?.toISOString() ?? null,
          },
        }
      : undefined,
  wire: z.object({ status: z.literal('ok'), grant_id: z.uuid(), principal_id: z.string() }),
  toWire: ({ grant }) => ({ status: 'ok' as const, grant_id: grant.id, principal_id: grant.principalId }),
});

const key = pick(projectGrants, 'orgId', 'projectId', 'principalId', 'capability');
const hasGrantKey = ({
  orgId,
  projectId,
  principalId,
  capability,
}: { readonly [Name in keyof typeof key]: SQL }): SQL =>
  sql`${projectGrants.orgId} = ${orgId} and ${projectGrants.projectId} = ${projectId}
    and ${projectGrants.principalId} = ${principalId} and ${projectGrants.capability} = ${capability}
    and ${projectGrants.revokedAt} is null`;

const lockStatement = statement(
  'grants.lock-principal',
  { params: pick(principals, 'id'), row: { now: computed<Date>('timestamp with time zone', sql`now()`) } },
  ({ id }, row) => sql`select ${row} from ${principals} where ${principals.id} = ${id} for no key update`,
);

const endExpiredStatement = statement(
  'grants.end-expired',
  { params: key, row: pick(projectGrants, 'id') },
  (given, row) => sql`update ${projectGrants} ${setOf(projectGrants, { revokedAt: sql`now()` })}
    where ${hasGrantKey(given)} and ${projectGrants.expiresAt} <= now() returning ${row}`,
);

const heldStatement = statement(
  'grants.held',
  { params: key, row: grantColumns },
  (given, row) => sql`select ${row} from ${projectGrants} where ${hasGrantKey(given)}`,
);
