import { sql } from 'drizzle-orm';
import { Lru } from '../../../core/lru.ts';
import { type Answer, jsonObject } from '../../../db/json.ts';
import { named, sessions, settings, users } from '../../../db/project-schema/auth.ts';
import { computed, from } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/addressed-project.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { UserClaims, UserRole } from '../access-token.ts';
import { sessionOver } from '../session-over.ts';
import { stands } from '../stands.ts';
import { authRow, authStatement } from './auth-rows.ts';

const s = named(sessions, 's');
const u = named(users, 'u');

const standingJson = jsonObject({
  authz_version: u.authzVersion,
  aal: s.aal,
  /** Whether an admin is one only with a passkey. */
  passkey_required: computed<boolean>(
    'boolean',
    sql`(select ${settings.requirePasskeyForProjectAdmin} from ${settings})`,
  ),
});

/** What has become of a session and its user since a token was signed. */
type Standing = Answer<typeof standingJson>;

interface Remembered {
  readonly standing: Promise<Standing | undefined>;
  readonly until: number;
  readonly era: symbol;
}

/**
 * How long a session is believed to stand as it did, in milliseconds: pages ask for many lists at once. What ends or
 * changes here counts at once here, and on other nodes when this is over.
 */
const rememberedMs = 5_000;

const remembered = new WeakMap<Services, Memory>();

/** What is remembered of the sessions of all projects, and since when of each project's. */
interface Memory {
  readonly standings: Lru<Remembered>;
  /** Begun anew for a project when something of it is forgotten; what is remembered of another era holds no more. */
  readonly eras: Lru<symbol>;
}

function memoryOf(services: Services): Memory {
  let memory = remembered.get(services);
  if (memory === undefined) {
    const size = { entries: 20_000, bytes: 20_000 };
    remembered.set(services, (memory = { standings: new Lru(size), eras: new Lru(size) }));
  }
  return memory;
}

/** Has every session of a project looked at again: one was ended, or a role changed. */
export const forgetStandings = (services: Services, { projectId }: Pick<ProjectTarget, 'projectId'>): void =>
  memoryOf(services).eras.set(projectId, Symbol(), 1);

/**
 * The role that a token still gives: it loses a privileged one with the change of its user's role, or without the
 * passkey that the project demands.
 *
 * @throws INVALID_AUTH when its session is over
 */
export const standingRole = async (services: Services, target: ProjectTarget, claims: UserClaims): Promise<UserRole> =>
  (await standingClaims(services, target, claims)).role;

/**
 * What a token still says: its role as {@link standingRole} has it, and nothing of a passkey that was removed since.
 *
 * @throws INVALID_AUTH when its session is over
 */
export async function standingClaims(
  services: Services,
  target: ProjectTarget,
  claims: UserClaims,
): Promise<UserClaims> {
  const standing = await standingOf(services, target, claims);
  const { passkey_id: _removed, ...others } = claims;
  const proven: UserClaims =
    claims.aal !== 'aal2' || standing.aal === 'aal2'
      ? claims
      : { ...others, aal: 'aal1', amr: claims.amr.filter((way) => way !== 'passkey') };
  const demoted =
    claims.authz_version !== standing.authz_version || (standing.passkey_required && proven.aal !== 'aal2');
  return claims.role === 'project_admin' && demoted ? { ...proven, role: 'authenticated' } : proven;
}

async function standingOf(services: Services, target: ProjectTarget, claims: UserClaims): Promise<Standing> {
  const { standings, eras } = memoryOf(services);
  if (eras.get(target.projectId) === undefined) forgetStandings(services, target);
  const era = eras.get(target.projectId)!;
  const name = `${target.projectId} ${claims.session_id} ${claims.sub}`;
  const now = performance.now();
  let entry = standings.get(name);
  if (entry === undefined || entry.era !== era || entry.until <= now) {
    const standing = authRow(
      services,
      target,
      standingStatement.with({ session: claims.session_id, user: claims.sub }),
    );
    entry = { standing, until: now + rememberedMs, era };
    standings.set(name, entry, 1);
    // A failure is nothing to remember.
    standing.catch(() => forgetStandings(services, target));
  }
  const standing = await entry.standing;
  if (standing === undefined) throw sessionOver();
  return standing;
}

const standingStatement = authStatement(
  'session_standing',
  { params: { session: s.id, user: u.id }, answer: standingJson },
  ({ session, user }, answer) => sql`select ${answer} from ${from(s)} join ${from(u)} on ${u.id} = ${s.userId}
    where ${s.id} = ${session} and ${u.id} = ${user} and ${stands(s)}`,
);
