import { ServiceError } from '../../core/errors.ts';
import { HasherBusyError } from '../../engines/passwords/hasher.ts';
import type { ProjectTarget } from '../addressed-project.ts';
import type { Services } from '../context.ts';
import { passwordBytesMax } from './auth-input.ts';

type Of = Pick<ProjectTarget, 'projectId'>;

/** Hashes a password of a project's user. @throws UPSTREAM_UNAVAILABLE when too many wait */
export const hashPassword = ({ passwords }: Services, { projectId }: Of, password: string): Promise<string> =>
  whenNotBusy(passwords.hash(password, projectId));

/** Whether a password is right; takes as long for a user who has none, or is none. @throws UPSTREAM_UNAVAILABLE */
export async function isPassword(
  { passwords }: Services,
  { projectId }: Of,
  hash: string | null,
  password: string,
): Promise<boolean> {
  const tooLong = Buffer.byteLength(password) > passwordBytesMax;
  return (await whenNotBusy(passwords.verify(hash ?? undefined, tooLong ? 'x' : password, projectId))) && !tooLong;
}

async function whenNotBusy<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof HasherBusyError)) throw error;
    throw new ServiceError('UPSTREAM_UNAVAILABLE', { message: 'Too many passwords are being checked.', retryAfter: 1 });
  }
}
