import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import type { Services } from '../context.ts';
import type { ProjectTarget } from '../project-target.ts';
import type { UserClaims, UserRole } from './access-token.ts';
import { type AuthStatement, authRow } from './auth-rows.ts';

/** What has become of a session and its user since a token was signed. */
interface Standing {
  readonly authz_version: number;
}

interface Remembered {
  readonly standing: Promise<Standing | undefined>;
  readonly until: number;
}

/**
 * How long a session is believed to stand as it did, in milliseconds: pages ask for many lists at once. What ends or
 * changes here counts at once here, and on other nodes when this is over.
 */
const rememberedMs = 5_000;

const remembered = new WeakMap<Services, Lru<Remembered>>();

/** Has every session looked at again: one was ended, or a role changed. */
export const forgetStandings = (services: Services): void => void remembered.delete(services);

/**
 * The role that a token still gives: it loses a privileged one with the change of its user's role.
 *
 * @throws INVALID_AUTH when its session is over
 */
export async function standingRole(services: Services, target: ProjectTarget, claims: UserClaims): Promise<UserRole> {
  let known = remembered.get(services);
  if (known === undefined) remembered.set(services, (known = new Lru({ entries: 20_000, bytes: 20_000 })));
  const name = `${target.projectId} ${claims.session_id}`;
  const now = performance.now();
  let entry = known.get(name);
  if (entry === undefined || entry.until <= now) {
    const standing = authRow<Standing>(services, target, standingStatement, [claims.session_id, claims.sub]);
    entry = { standing, until: now + rememberedMs };
    known.set(name, entry, 1);
    // A failure is nothing to remember.
    standing.catch(() => forgetStandings(services));
  }
  const standing = await entry.standing;
  if (standing === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'session_ended' } });
  return claims.role === 'project_admin' && claims.authz_version !== standing.authz_version
    ? 'authenticated'
    : claims.role;
}

const standingStatement: AuthStatement = {
  name: 'session_standing',
  text: `select json_build_object('authz_version', u.authz_version)
    from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = $1::uuid and u.id = $2::uuid and s.revoked_at is null
      and s.expires_at > now() and s.hard_expires_at > now()`,
};
