import { ServiceError } from '../../../core/errors.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { checkAccessToken, readShownToken, type UserClaims } from '../access-token.ts';
import { tokenExpired } from '../session-over.ts';

/** The user of a project whose access token it is. @throws INVALID_AUTH, also for a token of another project */
export async function userOfToken(services: Services, target: ProjectTarget, token: string): Promise<UserClaims> {
  const shown = readShownToken(token);
  const checked = shown === undefined ? undefined : await checkAccessToken(services, target, shown);
  if (checked === 'expired') throw tokenExpired();
  if (checked === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'not_of_this_project' } });
  return checked;
}
