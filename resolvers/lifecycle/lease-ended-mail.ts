import { sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { statement, typed } from '../../db/sql.ts';
import { entersAt, type LeaseEnd } from '../../kernel/access/lifecycle.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { joinVerifiedMail } from '../identity/shared/known-addresses.ts';
import type { MovedOrg } from './moved-org.ts';

/** Tells the owners of organizations whose lease has ended, at the addresses that they have verified. */
export async function queueLeaseEnded(work: Work, orgs: readonly MovedOrg[]): Promise<void> {
  const owners = await work.rows(ownersStatement.with({ orgIds: orgs.map(({ id }) => id) }));
  const byId = new Map(orgs.map((org) => [org.id, org]));
  for (const { orgId, email } of owners) {
    const org = byId.get(orgId)!;
    const name = org.displayName ?? orgId;
    await queueMail(work, { orgId, to: email, subject: `The lease of ${name} has ended`, text: textOf(org, name) });
  }
}

function textOf(org: MovedOrg, name: string): string {
  const { id, tier, movedAt } = org;
  const day = (state: LeaseEnd) => entersAt(org, state, movedAt).toISOString().slice(0, 10);
  return [
    `The ${tier} lease of the organization ${name} (${id}) ended on ${day('past_due')}. Everything goes on for now.`,
    '',
    `Unless a tier is set, changes are refused from ${day('frozen')} on, scheduled work rests from ${day('dormant')}`,
    `on, and on ${day('purged')} the organization's projects are deleted with everything in them.`,
    '',
    `Set a tier with "svc tier set ${tier}" or POST /tiers/v1/${tier}: the organization is active again at once.`,
  ].join('\n');
}

const ownersStatement = statement(
  'lifecycle.owners',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]') },
    row: { orgId: memberships.orgId, email: authenticators.publicSubject },
  },
  ({ orgIds }, row) => sql`select distinct ${row} from ${memberships} ${joinVerifiedMail}
    where ${memberships.orgId} = any(${orgIds}::uuid[]) and ${memberships.role} = 'owner'
      and ${memberships.status} = 'active'`,
);
