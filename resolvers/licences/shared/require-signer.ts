import { ServiceError } from '../../../core/errors.ts';
import type { Signer } from '../../../engines/licences/signer.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** What licences are signed with. @throws SIGNING_UNAVAILABLE when the installation has no key for it */
export function requireSigner({ signer }: Pick<Services, 'signer'>): Promise<Signer> {
  if (signer === undefined) throw new ServiceError('SIGNING_UNAVAILABLE');
  return signer;
}
