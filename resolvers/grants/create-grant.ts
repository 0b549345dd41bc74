import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { Grant } from '../../db/schema/projects.ts';
import { capabilities } from '../../kernel/access/permissions.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import { moment, projectId, walletAddress } from '../../kernel/input/fields.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { findOrCreatePrincipal } from '../identity/shared/subject-principal.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { endDelegates } from './end-delegates.ts';
import { makerOf, onItsProject, requireFuture } from './grant-input.ts';
import { grantPolicy } from './policy.ts';
import { grantActions } from './shared/actions.ts';
import { grantColumns } from './wire.ts';

export interface GivenGrant {
  readonly grant: Grant;
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
  lifecycle: 'gated',
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
    const [clock] = await work.rows<{ now: Date }>(lockStatement, [principalId]);
    await lockProjectFor(work, grantActions['project:grants:write']);
    requireFuture(expires_at ?? undefined, clock!.now);
    const key = [org.id, project.id, principalId, capability];
    // One whose time is over no longer holds, but stands in the way of the next.
    const over = await work.rows<{ id: string }>(endExpiredStatement, key);
    await endDelegates(work, work, over);
    const [held] = await work.rows<Grant>(heldStatement, key);
    if (held !== undefined) return { grant: held, created: false };
    await refuseOverQuota(
      work,
      { statement: countStatement, values: [org.id, project.id] },
      quota,
      limitsOf(org).grantsPerProject,
    );
    const more = [randomUUID(), policy === null ? null : JSON.stringify(policy), expires_at ?? null];
    const [grant] = await work.rows<Grant>(insertStatement, [...key, ...more, await makerOf(work)]);
    work.authorityChanged(org.id);
    return { grant: grant!, created: true };
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

const ofKey = (alias: string) => `${alias}.org_id = $1 and ${alias}.project_id = $2 and ${alias}.principal_id = $3
    and ${alias}.capability = $4 and ${alias}.revoked_at is null`;

const lockStatement: Statement = {
  name: 'grants.lock-principal',
  text: 'select now() as now from principals where id = $1 for no key update',
};

const quota = { scope: 'project', metric: 'grants' } as const;

const countStatement: Statement = {
  name: 'grants.count',
  text: `select count(*)::int as used from project_grants g
    where g.org_id = $1 and g.project_id = $2 and ${grantHolds('g')}`,
};

const endExpiredStatement: Statement = {
  name: 'grants.end-expired',
  text: `update project_grants g set revoked_at = now() where ${ofKey('g')} and g.expires_at <= now() returning g.id`,
};

const heldStatement: Statement = {
  name: 'grants.held',
  text: `select ${grantColumns} from project_grants g where ${ofKey('g')}`,
};

const insertStatement: Statement = {
  name: 'grants.insert',
  text: `insert into project_grants as g (org_id, project_id, principal_id, capability, id, policy, expires_at, created_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${grantColumns}`,
};
