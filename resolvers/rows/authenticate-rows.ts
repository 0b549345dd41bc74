import { ServiceError } from '../../core/errors.ts';
import type { Caller } from '../../db/role-turns.ts';
import type { RowRole } from '../../engines/rows/request/row-request.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Context } from '../../kernel/run/context.ts';
import { currentClaims } from '../auth/shared/account-status.ts';
import {
  authenticateProject,
  type EndingKey,
  type ProjectAuthentication,
} from '../auth/shared/authenticate-project.ts';

/** The two ways to a project's rows: under row security, and past it with the service key. */
export type RowApi = 'public' | 'admin';

/** Who reads or changes rows, and as what inside the project's database. */
export interface RowCaller {
  readonly target: ProjectTarget;
  readonly role: RowRole;
  /** Seen by policies as `request.jwt.claims`. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** What ends its right before its project does; undefined for a key that stays. */
  readonly ending?: EndingKey | undefined;
}

/** As whom the database is to bound what is asked; undefined for the project's own service. */
export const strangerOf = ({ role }: RowCaller): Caller | undefined =>
  role === 'anon' || role === 'authenticated' ? role : undefined;

/**
 * Resolves the credentials of a request for rows: with a key alone, as the key; with a user's token, as the user. See
 * `authenticateProject`.
 *
 * @throws AUTH_REQUIRED, INVALID_AUTH, FORBIDDEN, RATE_LIMITED, PROJECT_NOT_READY, PROJECT_NOT_FOUND
 */
export async function authenticateRows(ctx: Context, door: RowApi): Promise<RowCaller> {
  return rowCallerOf(ctx, { admit: (role) => refuseRole(door, role), limited: door === 'public' });
}

/**
 * The same where one door serves every kind of credential, at an address that names its project.
 *
 * @throws as {@link authenticateRows} does; FORBIDDEN for a key of another project
 */
export const authenticateGraph = (ctx: Context, projectId: string): Promise<RowCaller> =>
  rowCallerOf(ctx, { projectId, limited: (role) => role !== 'service_role' });

async function rowCallerOf(ctx: Context, door: ProjectAuthentication): Promise<RowCaller> {
  const { target, keyRole, ending, user } = await authenticateProject(ctx, door);
  if (user === undefined)
    return { target, role: keyRole, claims: { role: keyRole, project_id: target.projectId }, ending };
  const claims = await currentClaims(ctx.services, target, user);
  return { target, role: claims.role, claims: { ...claims } };
}

function refuseRole(door: RowApi, role: RowRole): void {
  if (door === 'public' && role === 'service_role')
    throw new ServiceError('FORBIDDEN', {
      label: 'role_forbidden',
      message: 'The service key goes to /admin/v1/rest.',
      details: { role },
    });
  if (door === 'admin' && role !== 'service_role')
    throw new ServiceError('FORBIDDEN', {
      label: 'role_forbidden',
      message: 'This path is for the service key.',
      details: { role },
    });
}
