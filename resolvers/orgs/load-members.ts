import { type SQL, sql } from '../../db/drizzle.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { statement, typed } from '../../db/sql.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { isMember } from '../../kernel/access/rules.ts';
import { visibilityOf } from '../../kernel/access/visibility.ts';
import type { Context } from '../../kernel/run/context.ts';
import { fromMemberships, type MemberRow, memberColumns } from './shared/member-row.ts';

/** Names one membership. */
export interface MemberKey {
  readonly orgId: string;
  readonly principalId: string;
}

/** Members of several organizations, of those the caller may see, in one statement. */
export async function loadMembers(ctx: Context, orgIds: readonly string[]): Promise<MemberRow[][]> {
  const rows = await ctx.services.db.rows(membersStatement.with({ orgIds, ...(await viewerOf(ctx)) }));
  return orgIds.map((orgId) => rows.filter((row) => row.orgId === orgId));
}

/** Memberships by key, those the caller may see and its own, in one statement. Absent and foreign are both left out. */
export async function loadMemberships(ctx: Context, keys: readonly MemberKey[]): Promise<MemberRow[]> {
  const caller = await ctx.caller();
  const asked = {
    orgIds: keys.map(({ orgId }) => orgId),
    principalIds: keys.map(({ principalId }) => principalId),
    own: principalIdOf(caller),
  };
  return ctx.services.db.rows(byKeyStatement.with({ ...asked, ...(await viewerOf(ctx)) }));
}

/** What the caller may see, as the values of {@link viewer}. */
async function viewerOf(ctx: Context) {
  const [viewing, , everything] = visibilityOf(await ctx.caller());
  return { viewing, everything };
}

const viewer = { viewing: typed<string | null>('text'), everything: typed<boolean>('boolean') };
const visible = ({ viewing, everything }: { readonly [Name in keyof typeof viewer]: SQL }): SQL =>
  sql`(${everything}::boolean or ${isMember(memberships.orgId, viewing)})`;
const byAge = sql`order by ${memberships.createdAt}, ${memberships.principalId}`;

// Not pipelined: what a list of keys holds has to be known to plan these well.

const membersStatement = statement(
  'orgs.members-of',
  { params: { orgIds: typed<readonly string[]>('uuid[]'), ...viewer }, row: memberColumns },
  ({ orgIds, ...given }, row) => sql`select ${row} from ${fromMemberships} where ${memberships.status} <> 'revoked'
    and ${memberships.orgId} = any(${orgIds}::uuid[]) and ${visible(given)} ${byAge}`,
);

const byKeyStatement = statement(
  'orgs.members-by-key',
  {
    params: {
      orgIds: typed<readonly string[]>('uuid[]'),
      ...viewer,
      principalIds: typed<readonly string[]>('text[]'),
      own: typed<string | null>('text'),
    },
    row: memberColumns,
  },
  ({ orgIds, principalIds, own, ...given }, row) => sql`select ${row} from ${fromMemberships}
    where ${memberships.status} <> 'revoked'
      and (${memberships.orgId}, ${memberships.principalId}) in (select * from unnest(${orgIds}::uuid[], ${principalIds}::text[]))
      and (${memberships.principalId} = ${own} or ${visible(given)})`,
);
