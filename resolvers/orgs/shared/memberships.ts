import type { Statement } from '../../../db/pool.ts';

/** Active memberships of a principal, oldest organization first. */
export const membershipsStatement: Statement = {
  name: 'identity.memberships',
  pipelined: true,
  text: `select o.id as "orgId", o.display_name as "displayName", m.role, m.status
    from memberships m join orgs o on o.id = m.org_id
    where m.principal_id = $1 and m.status = 'active' order by o.created_at, o.id`,
};
