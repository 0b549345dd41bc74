import { ServiceError } from '../../core/errors.ts';
import type { Services } from '../../kernel/run/context.ts';

const macBytes = 18;

/** What a signature covers: the current version of one key, until one moment. */
const signedText = (projectId: string, key: string, expires: number) => `${projectId} ${expires} ${key}`;

/** The query of an address that opens an asset until it expires. @param expires in seconds since 1970 */
export function signatureOf({ keys }: Pick<Services, 'keys'>, projectId: string, key: string, expires: number): string {
  const mac = keys.mac('asset-urls', signedText(projectId, key, expires)).subarray(0, macBytes);
  return new URLSearchParams({ expires: String(expires), signature: mac.toString('base64url') }).toString();
}

/**
 * Whether an address is signed for a key.
 *
 * @returns false for one that has no signature
 * @throws SIGNED_URL_INVALID for one that has expired, or was signed for something else
 */
export function isVerifiedUrl(
  { keys, now }: Pick<Services, 'keys' | 'now'>,
  projectId: string,
  key: string,
  query: URLSearchParams,
): boolean {
  const signature = query.get('signature');
  if (signature === null) return false;
  const given = Buffer.from(signature, 'base64url');
  const expires = Number(query.get('expires'));
  const isMade =
    Number.isSafeInteger(expires) &&
    given.length === macBytes &&
    given.toString('base64url') === signature &&
    keys.verifyMac('asset-urls', signedText(projectId, key, expires), given);
  if (!isMade || expires * 1000 <= now().getTime()) throw new ServiceError('SIGNED_URL_INVALID');
  return true;
}
