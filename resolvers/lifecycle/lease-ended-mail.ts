import type { Statement } from '../../db/pool.ts';
import { entersAt, type LeaseEnd } from '../../kernel/access/lifecycle.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { joinVerifiedMail } from '../identity/shared/known-addresses.ts';
import type { MovedOrg } from './moved-org.ts';

/** Tells the owners of organizations whose lease has ended, at the addresses that they have verified. */
export async function queueLeaseEnded(work: Work, orgs: readonly MovedOrg[]): Promise<void> {
  const owners = await work.rows<{ orgId: string; email: string }>(ownersStatement, [orgs.map(({ id }) => id)]);
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

const ownersStatement: Statement = {
  name: 'lifecycle.owners',
  text: `select distinct m.org_id as "orgId", a.public_subject as email
    from memberships m ${joinVerifiedMail}
    where m.org_id = any($1::uuid[]) and m.role = 'owner' and m.status = 'active'`,
};
