import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Org, orgs, type Role } from '../../db/schema/orgs.ts';
import { notAuthorized } from '../access.ts';
import { writeAudit } from '../audit.ts';
import { type Action, permissions, reaches } from '../permissions.ts';
import type { Work } from '../unit-of-work.ts';
import { lockOwner, newOrg, orgCreated } from './new-org.ts';

/** A principal's own organization, with its role there: null when it has been put out of it. */
export interface OwnOrg extends Org {
  readonly role: Role | null;
}

/**
 * The organization that a principal means when it names none: the one that was made for it, else the oldest that it
 * owns. A purged one only when there is no other.
 */
export async function findOwnOrg(
  { rows }: { readonly rows: Work['rows'] },
  principalId: string,
): Promise<OwnOrg | undefined> {
  const [found] = await rows<OwnOrg>(ownStatement, [principalId]);
  return found;
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
): Promise<{ readonly org: Org; readonly created: boolean }> {
  let found = await findOwnOrg(work, principalId);
  if (isMissing(found)) {
    await lockOwner(work, principalId);
    found = await findOwnOrg(work, principalId);
  }
  if (isMissing(found)) {
    // What was made for it once stays its home, also when it is gone; the new one is found as the oldest it owns.
    const org = await newOrg(work, principalId, { displayName: null, home: found === undefined });
    await writeAudit(work.client, work, await work.caller(), {}, orgCreated(org));
    return { org, created: true };
  }
  const { role, ...org } = found;
  if (role !== null && reaches(role, permissions[action].role)) return { org, created: false };
  throw notAuthorized(action, role === null ? 'member' : 'forbidden');
}

const isMissing = (own: OwnOrg | undefined): own is undefined => own === undefined || own.lifecycleState === 'purged';

const ownStatement: Statement = {
  name: 'orgs.own',
  text: `select ${columnsOf(orgs, 'o')}, m.role from (
      select id from orgs where home_of = $1
      union select org_id from memberships where principal_id = $1 and role = 'owner' and status = 'active'
    ) own
    join orgs o on o.id = own.id
    left join memberships m on m.org_id = o.id and m.principal_id = $1 and m.status = 'active'
    order by o.lifecycle_state = 'purged', o.home_of is distinct from $1, o.created_at, o.id limit 1`,
};
