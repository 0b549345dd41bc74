import { sql } from 'drizzle-orm';
import type { Statement } from '../../db/pool.ts';
import { textOf } from '../../db/sql.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { isMember } from '../../kernel/access/rules.ts';
import { visibilityOf } from '../../kernel/access/visibility.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type MemberRow, selectMembers } from './shared/member-row.ts';

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
  return ctx.services.db.rows<MemberRow>(byKeyStatement, [
    keys.map(({ orgId }) => orgId),
    ...(await callerValues(ctx)),
    keys.map(({ principalId }) => principalId),
    principalIdOf(caller),
  ]);
}

/** The caller's own parameters of {@link visible}. */
async function callerValues(ctx: Context): Promise<readonly unknown[]> {
  const [principalId, , everything] = visibilityOf(await ctx.caller());
  return [principalId, everything];
}

const visible = `($3::boolean or ${textOf(isMember(sql.raw('m.org_id'), sql.raw('$2')))})`;

// Not pipelined: what a list of keys holds has to be known to plan these well.

const membersStatement: Statement = {
  name: 'orgs.members-of',
  text: `${selectMembers} and m.org_id = any($1::uuid[]) and ${visible} order by m.created_at, m.principal_id`,
};

const byKeyStatement: Statement = {
  name: 'orgs.members-by-key',
  text: `${selectMembers} and (m.org_id, m.principal_id) in (select * from unnest($1::uuid[], $4::text[]))
    and (m.principal_id = $5 or ${visible})`,
};
