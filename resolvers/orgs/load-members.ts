import type { Statement } from '../../db/pool.ts';
import { isPrincipal } from '../caller.ts';
import type { Context } from '../context.ts';
import type { MemberRow } from './list-members.ts';

/** Names one membership. */
export interface MemberKey {
  readonly orgId: string;
  readonly principalId: string;
}

/** Members of several organizations, of those the caller may see, in one statement. */
export async function loadMembers(ctx: Context, orgIds: readonly string[]): Promise<MemberRow[][]> {
  const rows = await ctx.services.db.rows<MemberRow>(membersStatement, [orgIds, ...(await callerValues(ctx))]);
  return orgIds.map((orgId) => rows.filter((row) => row.orgId === orgId));
}

/** Memberships by key, those the caller may see and its own, in one statement. Absent and foreign are both left out. */
export async function loadMemberships(ctx: Context, keys: readonly MemberKey[]): Promise<MemberRow[]> {
  const caller = await ctx.caller();
  return ctx.services.db.rows<MemberRow>(membershipsStatement, [
    keys.map(({ orgId }) => orgId),
    ...(await callerValues(ctx)),
    keys.map(({ principalId }) => principalId),
    isPrincipal(caller) ? caller.principal.id : null,
  ]);
}

async function callerValues(ctx: Context): Promise<readonly unknown[]> {
  const caller = await ctx.caller();
  const principalId = isPrincipal(caller) && caller.kind !== 'delegate' ? caller.principal.id : null;
  return [principalId, caller.kind === 'admin'];
}

const visible = `($3::boolean or exists (
      select from memberships own where own.org_id = m.org_id and own.principal_id = $2 and own.status = 'active'))`;

const selectMembers = `select m.org_id as "orgId", m.principal_id as "principalId", p.display_name as "displayName", m.role, m.status,
      a.public_subject as wallet, m.created_at as "createdAt"
    from memberships m
    join principals p on p.id = m.principal_id
    left join lateral (
      select public_subject from authenticators
      where principal_id = m.principal_id and kind = 'wallet' and revoked_at is null order by created_at limit 1
    ) a on true
    where m.status <> 'revoked'`;

const membersStatement: Statement = {
  name: 'orgs.members-of',
  text: `${selectMembers} and m.org_id = any($1::uuid[]) and ${visible} order by m.created_at, m.principal_id`,
};

const membershipsStatement: Statement = {
  name: 'orgs.memberships',
  text: `${selectMembers} and (m.org_id, m.principal_id) in (select * from unnest($1::uuid[], $4::text[]))
    and (m.principal_id = $5 or ${visible})`,
};
