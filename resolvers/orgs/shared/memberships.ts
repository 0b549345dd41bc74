import { sql } from '../../../db/drizzle.ts';
import { memberships, orgs } from '../../../db/schema/orgs.ts';
import { pick, statement } from '../../../db/sql.ts';

/** Active memberships of a principal, oldest organization first. */
export const membershipsStatement = statement(
  'identity.memberships',
  {
    params: pick(memberships, 'principalId'),
    row: { orgId: orgs.id, displayName: orgs.displayName, ...pick(memberships, 'role', 'status') },
    pipelined: true,
  },
  ({ principalId }, row) => sql`select ${row} from ${memberships} join ${orgs} on ${orgs.id} = ${memberships.orgId}
    where ${memberships.principalId} = ${principalId} and ${memberships.status} = 'active'
    order by ${orgs.createdAt}, ${orgs.id}`,
);
