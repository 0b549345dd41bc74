import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { identities, named, users } from '../../db/project-schema/auth.ts';
import { from, typed } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { moment, projectId, yesOrNo } from '../../kernel/input/fields.ts';
import { type ListPage, listsBy, listWindow, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { ListedUserWire, listedToWire, type ManagedUser, managedUserJson } from './project-users.ts';
import { authActions } from './shared/actions.ts';
import { authRows, authStatement } from './shared/auth-rows.ts';

/** The provider of users who sign in by password or mail. */
const byEmail = 'email';

/** `GET /projects/v1/admin/:project_id/users`: an addition, for those who manage a project without its service key. */
export const listProjectUsers = query({
  name: 'users.list',
  tool: 'list_auth_users',
  command: 'auth list-users',
  summary: 'The users of a project, newest first.',
  access: onProject(authActions['project:users:write'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    query: z
      .string()
      .trim()
      .max(254)
      .optional()
      .describe('Only users whose address or id begins with this; letter case does not matter.'),
    is_admin: yesOrNo.optional().describe('`true`: only admins of the project; `false`: only others.'),
    confirmed: yesOrNo.optional().describe('`true`: only users whose address is proven; `false`: only others.'),
    provider: z
      .string()
      .max(64)
      .optional()
      .describe('Only users who sign in with this provider, such as `google`; `email` for a password or mails.'),
    created_since: moment.optional().describe('Only users who were made at this moment or later.'),
    ...listWindow,
  }),
  async handler({ services, project }, { project: _named, ...given }): Promise<ListPage<ManagedUser>> {
    const { query, is_admin, confirmed, provider, created_since, ...window } = given;
    const target = await findProjectTarget(services, project.id);
    const begins = query === undefined ? '' : query.toLowerCase();
    const filters = {
      isAdmin: is_admin ?? null,
      confirmed: confirmed ?? null,
      provider: provider ?? null,
      since: created_since?.toISOString() ?? null,
    };
    const list = newestFirst(services.keys, `users:${project.id}:${JSON.stringify([begins, filters])}`);
    const asked = { ...filters, ...list.positionOf(window), limit: window.limit + 1 };
    if (begins !== '') {
      const statement = list.statementOf(window, searchStatements);
      return list.pageOf(await authRows(services, target, statement.with({ ...asked, ...beginning(begins) })), window);
    }
    const statement = list.statementOf(window, is_admin === true ? adminStatements : everyStatements);
    return list.pageOf(await authRows(services, target, statement.with(asked)), window);
  },
  wire: z.object({ users: z.array(ListedUserWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ users: page.rows.map(({ row }) => listedToWire(row)), ...pageToWire(page) }),
});

/** The addresses and the ids that begin with a text, as ranges. An id range that is empty holds none. */
function beginning(text: string) {
  const digits = text.replaceAll('-', '');
  const isId = /^[0-9a-f]{1,32}$/.test(digits) && /^[0-9a-f-]+$/.test(text);
  const filled = (digit: string) => {
    const all = (isId ? digits : digit === '0' ? 'f' : '0').padEnd(32, digit);
    return all.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  return {
    emailFrom: text,
    // No character sorts behind this one, byte by byte.
    emailTo: `${text}\u{10ffff}`,
    idFrom: filled('0'),
    idTo: isId ? filled('f') : '00000000-0000-0000-0000-000000000000',
  };
}

/** Times stay as PostgreSQL writes them: a cursor keeps their microseconds. */
const { bothWays, newestFirst } = listsBy({
  columns: ['createdAt', 'id'],
  first: { type: 'timestamp with time zone', below: '-infinity', above: 'infinity' },
  of: ({ id, created_at }: { readonly id: string; readonly created_at: string }) => [created_at, id],
});

const u = named(users, 'u');
const i = named(identities, 'i');

const filters = {
  isAdmin: typed<boolean | null>('boolean'),
  confirmed: typed<boolean | null>('boolean'),
  provider: typed<string | null>('text'),
  since: typed<string | null>('timestamp with time zone'),
};

const linked = (more: SQL) => sql`exists (select from ${from(i)} where ${i.userId} = ${u.id}${more})`;

const passes = ({ isAdmin, confirmed, provider, since }: { readonly [Name in keyof typeof filters]: SQL }) => sql`
  (${isAdmin}::boolean is null or ${u.isAdmin} = ${isAdmin})
  and (${confirmed}::boolean is null or (${u.emailVerifiedAt} is not null) = ${confirmed})
  and (${since}::timestamptz is null or ${u.createdAt} >= ${since})
  and (${provider}::text is null or case when ${provider} = ${sql.raw(`'${byEmail}'`)}
    then ${u.passwordHash} is not null or not ${linked(sql``)}
    else ${linked(sql` and ${i.provider} = ${provider}`)} end)`;

const listOf = (name: string, narrowed: SQL) =>
  bothWays(u, (way) =>
    authStatement(
      `users_list_${name}_${way.name}`,
      { params: { ...filters, ...way.params, limit: typed<number>('bigint') }, answer: managedUserJson(u) },
      ({ limit, ...given }, answer) => sql`select ${answer} from ${from(u)}
        where ${narrowed}${passes(given)} and ${way.beyond(given)} ${way.order} limit ${limit}`,
    ),
  );

const everyStatements = listOf('every', sql``);
/** Admins are few among many users: they have an index of their own. */
const adminStatements = listOf('admins', sql`${u.isAdmin} and `);

const searchStatements = bothWays(u, (way) =>
  authStatement(
    `users_search_${way.name}`,
    {
      params: {
        ...filters,
        ...way.params,
        emailFrom: typed<string>('text'),
        emailTo: typed<string>('text'),
        idFrom: typed<string>('uuid'),
        idTo: typed<string>('uuid'),
        limit: typed<number>('bigint'),
      },
      answer: managedUserJson(u),
    },
    ({ emailFrom, emailTo, idFrom, idTo, limit, ...given }, answer) => sql`select ${answer} from ${from(u)}
      where ((${u.email} ~>=~ ${emailFrom} and ${u.email} ~<~ ${emailTo}) or (${u.id} >= ${idFrom} and ${u.id} <= ${idTo}))
        and ${passes(given)} and ${way.beyond(given)} ${way.order} limit ${limit}`,
  ),
);
