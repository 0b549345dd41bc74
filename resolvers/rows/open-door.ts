import { ServiceError } from '../../core/errors.ts';
import type { RowRole } from '../../engines/rows/request/row-request.ts';
import type { Context } from '../context.ts';
import { type ProjectKey, readProjectKey } from '../identity/project-keys.ts';
import { projectRate } from '../limits.ts';
import { refuseHurry } from '../rate-limit.ts';
import { findProjectTarget, type ProjectTarget } from './project-target.ts';

/** The two ways to a project's rows: under row security, and past it with the service key. */
export type RowDoor = 'public' | 'admin';

/** Who reads or changes rows, and as what inside the project's database. */
export interface RowCaller {
  readonly target: ProjectTarget;
  readonly role: RowRole;
  /** Seen by policies as `request.jwt.claims`. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Resolves the credentials of a request for rows: the project's key first, then the bearer beside it. Contract 01,
 * section 1.3.
 *
 * @throws AUTH_REQUIRED, INVALID_AUTH, FORBIDDEN, RATE_LIMITED, PROJECT_NOT_READY, PROJECT_NOT_FOUND
 */
export async function openRowDoor(ctx: Context, door: RowDoor): Promise<RowCaller> {
  ctx.chargeAddress();
  const bearer = bearerOf(ctx.credentials.authorization);
  const given = ctx.credentials.apikey ?? bearer;
  if (given === undefined) throw new ServiceError('AUTH_REQUIRED', { nextActions: [sendKey] });
  const key = await keyOf(ctx, given);
  const beside = bearer === undefined || bearer === given ? undefined : await keyOf(ctx, bearer);
  if (beside !== undefined && beside.projectId !== key.projectId)
    throw new ServiceError('FORBIDDEN', {
      label: 'project_token_mismatch',
      message: 'The bearer is for another project than the key.',
    });
  const { role } = beside ?? key;
  refuseRole(door, role);
  const target = await findProjectTarget(ctx.services, key.projectId);
  if (door === 'public') {
    refuseHurry(ctx.services.rateLimiter.take(`project:${key.projectId}`, projectRate));
    ctx.admitted?.();
  }
  // Not before: a call that is refused for its haste did nothing for the project.
  ctx.services.usage.count({ orgId: target.orgId, projectId: target.projectId });
  return { target, role, claims: { role, project_id: key.projectId } };
}

const sendKey = { type: 'authenticate', auth: 'apikey', why: 'Send a key of the project in the apikey header.' };

function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const bearer = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization.trim())?.[1];
  if (bearer === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'not_a_bearer' } });
  return bearer;
}

async function keyOf({ services }: Context, token: string): Promise<ProjectKey> {
  const key = await readProjectKey(services.keys, token, services.now());
  if (key === undefined) throw new ServiceError('INVALID_AUTH', { nextActions: [sendKey] });
  return key;
}

function refuseRole(door: RowDoor, role: ProjectKey['role']): void {
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
