import type { Statement } from '../../db/pool.ts';
import { isPrincipal } from '../caller.ts';
import type { Context } from '../context.ts';
import type { MemberRow } from './list-members.ts';

/** Members of several organizations, of those the caller may see, in one statement. */
export async function loadMembers(ctx: Context, orgIds: readonly string[]): Promise<MemberRow[][]> {
  const caller = await ctx.caller();
  const principalId = isPrincipal(caller) && caller.kind !== 'delegate' ? caller.principal.id : null;
  const rows = await ctx.services.db.rows<MemberRow>(membersStatement, [orgIds, principalId, caller.kind === 'admin']);
  return orgIds.map((orgId) => rows.filter((row) => row.orgId === orgId));
}

const membersStatement: Statement = {
  name: 'orgs.members-of',
  text: `select m.org_id as "orgId", m.principal_id as "principalId", p.display_name as "displayName", m.role, m.status,
      a.public_subject as wallet, m.created_at as "createdAt"
    from memberships m
    join principals p on p.id = m.principal_id
    left join lateral (
      select public_subject from authenticators
      where principal_id = m.principal_id and kind = 'wallet' and revoked_at is null order by created_at limit 1
    ) a on true
    where m.org_id = any($1::uuid[]) and m.status <> 'revoked' and ($3::boolean or exists (
      select from memberships own where own.org_id = m.org_id and own.principal_id = $2 and own.status = 'active'))
    order by m.created_at, m.principal_id`,
};
