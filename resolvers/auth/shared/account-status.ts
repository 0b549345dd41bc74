import { Lru } from '../../../core/lru.ts';
import { sql } from '../../../db/drizzle.ts';
import { type Answer, jsonObject } from '../../../db/json.ts';
import { named, sessions, settings, users } from '../../../db/project-schema/auth.ts';
import { computed, from } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { UserClaims, UserRole } from '../access-token.ts';
import { sessionOver } from '../session-over.ts';
import { stands } from '../stands.ts';
import { authRow, authStatement } from './auth-rows.ts';

const s = named(sessions, 's');
const u = named(users, 'u');

const statusJson = jsonObject({
  authz_version: u.authzVersion,
  aal: s.aal,
  /** Whether an admin is one only with a passkey. */
  passkey_required: computed<boolean>(
    'boolean',
    sql`(select ${settings.requirePasskeyForProjectAdmin} from ${settings})`,
  ),
});

/** What has become of a session and its user since a token was signed. */
type AccountStatus = Answer<typeof statusJson>;

interface Remembered {
  readonly status: Promise<AccountStatus | undefined>;
  readonly until: number;
  readonly era: symbol;
}

/**
 * How long the status of a session is remembered, in milliseconds: pages ask for many lists at once. What ends or
 * changes here counts at once here, and on other nodes when this is over.
 */
const rememberedMs = 5_000;

const remembered = new WeakMap<Services, Memory>();

/** What is remembered of the sessions of all projects, and since when of each project's. */
interface Memory {
  readonly accountStatuses: Lru<Remembered>;
  /** Replaced when something of a project is forgotten. What another era remembers is ignored. */
  readonly eras: Lru<symbol>;
}

function memoryOf(services: Services): Memory {
  let memory = remembered.get(services);
  if (memory === undefined) {
    const size = { entries: 20_000, bytes: 20_000 };
    remembered.set(services, (memory = { accountStatuses: new Lru(size), eras: new Lru(size) }));
  }
  return memory;
}

/** Has every session of a project looked at again: one was ended, or a role changed. */
export const forgetAccountStatuses = (services: Services, { projectId }: Pick<ProjectTarget, 'projectId'>): void =>
  memoryOf(services).eras.set(projectId, Symbol(), 1);

/**
 * The role that a token still gives: it loses a privileged one with the change of its user's role, or without the
 * passkey that the project demands.
 *
 * @throws INVALID_AUTH when its session is over
 */
export const currentRole = async (services: Services, target: ProjectTarget, claims: UserClaims): Promise<UserRole> =>
  (await currentClaims(services, target, claims)).role;

/**
 * What a token still says: its role as {@link currentRole} has it, and nothing of a passkey that was removed since.
 *
 * @throws INVALID_AUTH when its session is over
 */
export async function currentClaims(
  services: Services,
  target: ProjectTarget,
  claims: UserClaims,
): Promise<UserClaims> {
  const status = await accountStatusOf(services, target, claims);
  const { passkey_id: _removed, ...others } = claims;
  const proven: UserClaims =
    claims.aal !== 'aal2' || status.aal === 'aal2'
      ? claims
      : { ...others, aal: 'aal1', amr: claims.amr.filter((way) => way !== 'passkey') };
  const demoted = claims.authz_version !== status.authz_version || (status.passkey_required && proven.aal !== 'aal2');
  return claims.role === 'project_admin' && demoted ? { ...proven, role: 'authenticated' } : proven;
}

async function accountStatusOf(services: Services, target: ProjectTarget, claims: UserClaims): Promise<AccountStatus> {
  const { accountStatuses, eras } = memoryOf(services);
  if (eras.get(target.projectId) === undefined) forgetAccountStatuses(services, target);
  const era = eras.get(target.projectId)!;
  const name = `${target.projectId} ${claims.session_id} ${claims.sub}`;
  const now = performance.now();
  let entry = accountStatuses.get(name);
  if (entry === undefined || entry.era !== era || entry.until <= now) {
    const status = authRow(services, target, statusStatement.with({ session: claims.session_id, user: claims.sub }));
    entry = { status, until: now + rememberedMs, era };
    accountStatuses.set(name, entry, 1);
    // A failure is nothing to remember.
    status.catch(() => forgetAccountStatuses(services, target));
  }
  const status = await entry.status;
  if (status === undefined) throw sessionOver();
  return status;
}

const statusStatement = authStatement(
  'session_standing',
  { params: { session: s.id, user: u.id }, answer: statusJson },
  ({ session, user }, answer) => sql`select ${answer} from ${from(s)} join ${from(u)} on ${u.id} = ${s.userId}
    where ${s.id} = ${session} and ${u.id} = ${user} and ${stands(s)}`,
);
