import { ServiceError } from '../../core/errors.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Context } from '../../kernel/run/context.ts';
import { currentRole } from '../auth/shared/account-status.ts';
import { authenticateProject } from '../auth/shared/authenticate-project.ts';
import type { LiveIdentity } from './live-hub.ts';

/** Who follows which project. */
export interface LiveCaller {
  readonly target: ProjectTarget;
  readonly identity: LiveIdentity;
}

/**
 * Resolves the credentials of a request for hints: with a key alone, as the key; with a user's token, as the user.
 *
 * @param named the project that the request names; that of its credentials when absent
 * @throws AUTH_REQUIRED, INVALID_AUTH, FORBIDDEN, RATE_LIMITED, PROJECT_NOT_READY, PROJECT_NOT_FOUND
 */
export async function authenticateLive(ctx: Context, named: string | undefined): Promise<LiveCaller> {
  const { target, keyRole, ending, user } = await authenticateProject(ctx, { limited: true });
  if (named !== undefined && named !== target.projectId)
    throw new ServiceError('FORBIDDEN', {
      label: 'project_token_mismatch',
      message: 'The key is for another project than project_id.',
    });
  if (user === undefined)
    return { target, identity: { kind: keyRole === 'service_role' ? 'service' : 'anon', ...ending } };
  await currentRole(ctx.services, target, user);
  return {
    target,
    identity: {
      kind: 'user',
      userId: user.sub,
      sessionId: user.session_id,
      expiresAt: new Date(user.exp * 1000),
    },
  };
}
