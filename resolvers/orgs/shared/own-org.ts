import { alias, sql } from '../../../db/drizzle.ts';
import { memberships, type Org, orgs, type Role } from '../../../db/schema/orgs.ts';
import { allOf, from, orNull, statement, typed } from '../../../db/sql.ts';
import { type OrgScope, requireRole } from '../../../kernel/access/access.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import { writeAudit } from '../../../kernel/durability/audit-log.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { lockOwner, newOrg, orgCreated } from './new-org.ts';

/** A principal's own organization, with its membership there: nulls when it has been put out of it. */
export interface OwnOrg extends Org {
  readonly role: Role | null;
  readonly membershipId: string | null;
}

/**
 * The organization that a principal means when it names none: the one that was made for it, else the oldest that it
 * made and owns. Never one that others made it an owner of, since nobody asked it: what it makes there would be theirs.
 * One that it was put out of only when it has no other, and a purged one last of all.
 */
export async function findOwnOrg(
  { rows }: { readonly rows: Work['rows'] },
  principalId: string,
): Promise<OwnOrg | undefined> {
  const [found] = await rows(ownStatement.with({ principal: principalId }));
  return found;
}

/** What the principal may do in its own organization. @throws NOT_AUTHORIZED when the action is no longer among it */
export function ownScope({ role, membershipId, ...org }: OwnOrg, action: Action): OrgScope {
  requireRole(action, role);
  return { org, authority: { kind: 'membership', membershipId: membershipId!, role } };
}

/**
 * The principal's own organization, made when it is first needed and in place of a purged one. Callers who race get
 * the same one, since whoever finds none waits for the principal's row and looks again.
 *
 * @throws NOT_AUTHORIZED when the principal no longer has the right to the action there
 */
export async function findOrCreateOwnOrg(
  work: Work,
  principalId: string,
  action: Action,
): Promise<OrgScope & { readonly created: boolean }> {
  let own = await findOwnOrg(work, principalId);
  if (isMissing(own)) {
    await lockOwner(work, principalId);
    own = await findOwnOrg(work, principalId);
  }
  if (!isMissing(own)) return { ...ownScope(own, action), created: false };
  // What was made for it once stays its home, also when it is gone; the new one is found as the oldest it made.
  const org = await newOrg(work, principalId, { displayName: null, home: own === undefined });
  await writeAudit(work.client, work, await work.caller(), {}, orgCreated(org));
  own = await findOwnOrg(work, principalId);
  return { ...ownScope(own!, action), created: true };
}

/** Whether there is none that anything could still be done in. */
export const isMissing = (own: OwnOrg | undefined): own is undefined =>
  own === undefined || own.lifecycleState === 'purged';

const ownStatement = statement(
  'orgs.own',
  {
    params: { principal: typed<string>('text') },
    row: { ...allOf(orgs), ...orNull({ role: memberships.role, membershipId: memberships.id }) },
  },
  ({ principal }, row) => {
    const [home, owner, made] = [alias(orgs, 'home'), alias(memberships, 'owner'), alias(orgs, 'made')];
    return sql`select ${row} from (
        select ${home.id} from ${from(home)} where ${home.homeOf} = ${principal}
        union select ${made.id} from ${from(owner)} join ${from(made)} on ${made.id} = ${owner.orgId}
          where ${owner.principalId} = ${principal} and ${owner.role} = 'owner' and ${owner.status} = 'active'
            and ${made.createdBy} = ${principal}
      ) own
      join ${orgs} on ${orgs.id} = own.id
      left join ${memberships} on ${memberships.orgId} = ${orgs.id} and ${memberships.principalId} = ${principal}
        and ${memberships.status} = 'active'
      order by ${orgs.lifecycleState} = 'purged', ${memberships.id} is null, ${orgs.homeOf} is distinct from ${principal},
        ${orgs.createdAt}, ${orgs.id} limit 1`;
  },
);
