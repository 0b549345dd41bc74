import { sql } from '../../db/drizzle.ts';
import { type Answer, type JsonRow, jsonList, jsonObject } from '../../db/json.ts';
import { identities, named, passkeys, sessions, users } from '../../db/project-schema/auth.ts';
import { from } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { UserClaims } from './access-token.ts';
import { identityJson, sessionJson, settingsJson, userJson } from './rows.ts';
import { sessionOver } from './session-over.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';
import { stands } from './stands.ts';

/** Looks a token's session up, every time: what was ended a moment ago is over. @throws INVALID_AUTH */
export async function requireSession(
  services: Services,
  target: ProjectTarget,
  { session_id, sub }: UserClaims,
): Promise<LiveSession> {
  const live = await authRow(services, target, liveStatement.with({ session: session_id, user: sub }));
  if (live === undefined) throw sessionOver();
  return live;
}

const i = named(identities, 'i');
const p = named(passkeys, 'p');

/** Everything about a user that answers tell, as members of a JSON object. */
export const userFacts = (of: typeof users) => ({
  account: userJson(of),
  identities: jsonList(
    identityJson(i),
    sql`from ${from(i)} where ${i.userId} = ${of.id}`,
    sql`${i.createdAt}, ${i.provider}, ${i.providerSub}`,
  ),
  /** Relying parties of the user's passkeys, one for each. */
  passkeyRps: jsonList(p.rpId, sql`from ${from(p)} where ${p.userId} = ${of.id}`),
});

export type UserFacts = JsonRow<ReturnType<typeof userFacts>>;

const s = named(sessions, 's');
const u = named(users, 'u');

/** A session `s` and its user `u` as JSON. */
export const liveJson = jsonObject({ session: sessionJson(s), settings: settingsJson, ...userFacts(u) });

/** A session that has not ended, with its user. */
export type LiveSession = Answer<typeof liveJson>;

const liveStatement = authStatement(
  'session_live',
  { params: { session: s.id, user: u.id }, answer: liveJson },
  ({ session, user }, answer) => sql`select ${answer} from ${from(s)} join ${from(u)} on ${u.id} = ${s.userId}
    where ${s.id} = ${session} and ${u.id} = ${user} and ${stands(s)}`,
);
