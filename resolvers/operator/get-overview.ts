import { z } from 'zod';
import { signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { lifecycleWire, roleWire, tierWire } from '../orgs/shared/wire.ts';
import { OperatorScopeWire, type Reach, reachOf } from './reach.ts';

/** How much somebody answers for. */
export interface Rollup {
  readonly organizations: number;
  readonly projects: number;
  readonly wallets: number;
  readonly advisories: number;
}

export const rollupOf = ({
  organizations,
  wallets,
  advisories,
}: Pick<Reach, 'organizations' | 'wallets' | 'advisories'>): Rollup => ({
  organizations: organizations.length,
  projects: organizations.reduce((sum, { projectCount }) => sum + projectCount, 0),
  wallets: wallets.length,
  advisories: advisories.length,
});

/** `GET /agent/v1/operator/overview`. Contract 01, section 5.13. */
export const getOverview = query({
  name: 'operator.getOverview',
  tool: 'get_operator_overview',
  command: 'operator overview',
  summary: 'What a person or a wallet answers for: organizations, wallets, counts, and what needs to be looked at.',
  path: 'GET /agent/v1/operator/overview',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({}),
  handler: (ctx): Promise<Reach> => reachOf(ctx, ctx.principal),
  wire: z.object({
    scope: OperatorScopeWire,
    rollup: z.object({ organizations: z.int(), projects: z.int(), wallets: z.int(), advisories: z.int() }),
    organizations: z.array(
      z.object({
        org_id: z.uuid(),
        display_name: z.string().nullable(),
        tier: tierWire,
        lifecycle_state: lifecycleWire,
        role: roleWire,
        project_count: z.int(),
        member_count: z.int(),
      }),
    ),
    wallets: z.array(z.string()),
    advisories: z.array(z.object({ type: z.string(), org_id: z.uuid() })),
  }),
  toWire: ({ scope, organizations, wallets, advisories }) => ({
    scope: { ...scope },
    rollup: rollupOf({ organizations, wallets, advisories }),
    organizations: organizations.map((org) => ({
      org_id: org.orgId,
      display_name: org.displayName,
      tier: org.tier,
      lifecycle_state: org.lifecycleState,
      role: org.role,
      project_count: org.projectCount,
      member_count: org.memberCount,
    })),
    wallets: [...wallets],
    advisories: advisories.map(({ type, orgId }) => ({ type, org_id: orgId })),
  }),
});
