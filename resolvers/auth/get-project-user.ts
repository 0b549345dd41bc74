import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type Answer, jsonList, jsonObject } from '../../db/json.ts';
import { identities, named, passkeys, sessions, users } from '../../db/project-schema/auth.ts';
import { computed, from } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { IdentityWire, identityToWire } from './get-user.ts';
import { PasskeyWire, passkeyJson, passkeyToWire } from './passkeys/passkey-rows.ts';
import { ListedUserWire, listedToWire, managedUserJson, noSuchUser, userId } from './project-users.ts';
import { identityJson, momentOf, momentOrNull, type SessionRow, sessionJson } from './rows.ts';
import { authActions } from './shared/actions.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';
import { stands } from './stands.ts';

/** Sessions that are told of a user; `session_count` says how many there are. */
const sessionsShown = 200;

const ProjectUserSessionWire = z
  .object({
    id: z.uuid(),
    created_at: z.iso.datetime(),
    last_refreshed_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime(),
    hard_expires_at: z.iso.datetime(),
    amr: z.array(z.string()),
    aal: z.enum(['aal1', 'aal2']),
    provider: z.string().nullable(),
    passkey_id: z.uuid().nullable(),
  })
  .meta({ id: 'ProjectUserSession' });

const sessionToWire = (row: SessionRow): z.output<typeof ProjectUserSessionWire> => ({
  id: row.id,
  created_at: momentOf(row.created_at),
  last_refreshed_at: momentOrNull(row.last_refreshed_at),
  expires_at: momentOf(row.expires_at),
  hard_expires_at: momentOf(row.hard_expires_at),
  amr: [...row.amr],
  aal: row.aal,
  provider: row.provider,
  passkey_id: row.passkey_id,
});

const ProjectUserAccountWire = z
  .object({
    user: ListedUserWire,
    user_metadata: z.record(z.string(), z.unknown()),
    identities: z.array(IdentityWire),
    passkeys: z.array(PasskeyWire),
    sessions: z.array(ProjectUserSessionWire),
    session_count: z.number().int(),
  })
  .meta({ id: 'ProjectUserAccount' });

const accountToWire = (account: ProjectUserAccount): z.output<typeof ProjectUserAccountWire> => ({
  user: listedToWire(account.user),
  user_metadata: { ...account.user_metadata },
  identities: account.identities.map(identityToWire),
  passkeys: account.passkeys.map(passkeyToWire),
  sessions: account.sessions.map(sessionToWire),
  session_count: account.session_count,
});

/** `GET /projects/v1/admin/:project_id/users/:user_id`. */
export const getProjectUser = query({
  name: 'users.get',
  tool: 'get_auth_user',
  command: 'auth get-user',
  summary: 'A user of a project, with what signs it in and its sessions that have not ended, newest first.',
  path: 'GET /projects/v1/admin/:project_id/users/:user_id',
  access: onProject(authActions['project:users:write'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId, user_id: userId }),
  async handler({ services, project }, { user_id }): Promise<ProjectUserAccount> {
    if (!z.uuid().safeParse(user_id).success) throw noSuchUser();
    const target = await findProjectTarget(services, project.id);
    const found = await authRow(services, target, accountStatement.with({ id: user_id }));
    if (found === undefined) throw noSuchUser();
    return found;
  },
  wire: ProjectUserAccountWire,
  toWire: accountToWire,
});

const u = named(users, 'u');
const i = named(identities, 'i');
const p = named(passkeys, 'p');
const s = named(sessions, 's');
const shown = named(sessions, 'shown');

const ofUser = sql`from ${from(s)} where ${s.userId} = ${u.id} and ${stands(s)}`;

const accountJson = jsonObject({
  user: managedUserJson(u),
  user_metadata: u.userMetadata,
  identities: jsonList(
    identityJson(i),
    sql`from ${from(i)} where ${i.userId} = ${u.id}`,
    sql`${i.createdAt}, ${i.provider}, ${i.providerSub}`,
  ),
  passkeys: jsonList(passkeyJson(p), sql`from ${from(p)} where ${p.userId} = ${u.id}`, sql`${p.createdAt}, ${p.id}`),
  sessions: jsonList(
    sessionJson(shown),
    sql`from (select ${s}.* ${ofUser} order by ${s.createdAt} desc, ${s.id} limit ${sql.raw(String(sessionsShown))}) shown`,
    sql`${shown.createdAt} desc, ${shown.id}`,
  ),
  session_count: computed<number>('integer', sql`(select count(*)::int ${ofUser})`),
});

/** A user with everything that signs it in. */
export type ProjectUserAccount = Answer<typeof accountJson>;

const accountStatement = authStatement(
  'user_account',
  { params: { id: u.id }, answer: accountJson },
  ({ id }, answer) => sql`select ${answer} from ${from(u)} where ${u.id} = ${id}`,
);
