import { ServiceError } from '../../core/errors.ts';
import { bcryptCostOf } from '../../engines/passwords/bcrypt-form.ts';
import { HasherBusyError } from '../../engines/passwords/hasher.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { passwordBytesMax } from './auth-input.ts';

type Of = Pick<ProjectTarget, 'projectId'>;

/** Hashes a password of a project's user. @throws UPSTREAM_UNAVAILABLE when too many wait */
export const hashPassword = ({ passwords }: Services, { projectId }: Of, password: string): Promise<string> =>
  whenNotBusy(passwords.hash(password, projectId));

/** A hash that a password is tried against. */
export interface TriedHash {
  /** Null for a user without a password, and for no user at all. */
  readonly hash: string | null;
  /** Highest cost of the bcrypt hashes of the project's users; null where none has one. */
  readonly bcryptCost?: number | null;
}

/**
 * Whether a password is right; takes as long for a user who has none, or is none. Of a hash that came from elsewhere
 * the first 72 bytes count, as they did there.
 *
 * @throws UPSTREAM_UNAVAILABLE
 */
export async function isPassword(
  { passwords }: Services,
  { projectId }: Of,
  { hash, bcryptCost }: TriedHash,
  password: string,
): Promise<boolean> {
  const tooLong = isTooLong(password) && (hash === null || !isImported(hash));
  const options = { party: projectId, bcryptCost: bcryptCost ?? undefined };
  return (await whenNotBusy(passwords.verify(hash ?? undefined, tooLong ? 'x' : password, options))) && !tooLong;
}

/** Whether a hash came from elsewhere, and is replaced as soon as the password is known. */
export const isImported = (hash: string): boolean => bcryptCostOf(hash) !== undefined;

/**
 * The hash that takes the place of one from elsewhere, once its password was right. A password of more bytes than one
 * may have here keeps the hash that knows its beginning.
 */
export const hashAnew = async (
  services: Services,
  of: Of,
  hash: string,
  password: string,
): Promise<string | undefined> =>
  isImported(hash) && !isTooLong(password) ? hashPassword(services, of, password) : undefined;

const isTooLong = (password: string) => Buffer.byteLength(password) > passwordBytesMax;

async function whenNotBusy<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof HasherBusyError)) throw error;
    throw new ServiceError('UPSTREAM_UNAVAILABLE', { message: 'Too many passwords are being checked.', retryAfter: 1 });
  }
}
