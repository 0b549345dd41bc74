import type { ProjectTarget } from '../../kernel/access/addressed-project.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { UserClaims } from './access-token.ts';
import {
  type AuthSettings,
  type IdentityRow,
  type SessionRow,
  sessionJson,
  settingsJson,
  type UserRow,
  userJson,
} from './rows.ts';
import { sessionOver } from './session-over.ts';
import { type AuthStatement, authRow } from './shared/auth-rows.ts';

/** Everything about a user that answers tell. */
export interface UserFacts {
  readonly account: UserRow;
  readonly identities: readonly IdentityRow[];
  /** Relying parties of the user's passkeys, one for each. */
  readonly passkeyRps: readonly string[];
}

/** A session that stands now, with its user. */
export interface LiveSession extends UserFacts {
  readonly session: SessionRow;
  readonly settings: AuthSettings;
}

/** Looks a token's session up, every time: what was ended a moment ago is over. @throws INVALID_AUTH */
export async function requireSession(
  services: Services,
  target: ProjectTarget,
  { session_id, sub }: UserClaims,
): Promise<LiveSession> {
  const live = await authRow<LiveSession>(services, target, liveStatement, [session_id, sub]);
  if (live === undefined) throw sessionOver();
  return live;
}

/** Everything about a user that answers tell, as members of a JSON object, by the alias of its row. */
export const userFactsJson = (alias: string): string => `'account', ${userJson(alias)},
      'identities', coalesce((select jsonb_agg(to_jsonb(i) - 'user_id' order by i.created_at, i.provider, i.provider_sub)
        from auth.identities i where i.user_id = ${alias}.id), '[]'),
      'passkeyRps', coalesce((select jsonb_agg(p.rp_id) from auth.passkeys p where p.user_id = ${alias}.id), '[]')`;

/** A session `s` and its user `u` as a {@link LiveSession}. */
export const liveJson = `json_build_object('session', ${sessionJson('s')}, 'settings', ${settingsJson}, ${userFactsJson('u')})`;

const liveStatement: AuthStatement = {
  name: 'session_live',
  text: `select ${liveJson}
    from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = $1::uuid and u.id = $2::uuid and s.revoked_at is null
      and s.expires_at > now() and s.hard_expires_at > now()`,
};
