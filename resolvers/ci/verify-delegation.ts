import { ServiceError } from '../../core/errors.ts';
import type { CiSignature } from '../../db/schema/ci.ts';
import {
  type Delegation,
  delegationResource,
  delegationStatement,
  resourceBytesMax,
  statementBytesMax,
} from '../../engines/ci/delegation.ts';
import type { Caller } from '../../kernel/access/caller.ts';
import type { Context } from '../../kernel/run/context.ts';
import { readSignedMessage } from '../identity/shared/wallet-signature.ts';

/** Whom tokens of CI have to be for. */
export const audienceOf = ({ services, request }: Pick<Context, 'services' | 'request'>): string =>
  services.settings.ciAudience ?? services.settings.publicBaseUrl ?? request.baseUrl;

const refused = (label: string, message: string) => new ServiceError('CI_DELEGATION_INVALID', { label, message });

/**
 * Checks that the very wallet that asks has signed a delegation, in words and as a resource. Contract 03, section 9.1.
 *
 * @throws CI_DELEGATION_INVALID, INVALID_AUTH, FORBIDDEN, labelled with what is wrong
 */
export async function verifyDelegation(
  { services, request }: Pick<Context, 'services' | 'request'>,
  caller: Caller,
  delegation: Delegation,
  signed: string,
): Promise<CiSignature> {
  const [statement, resource] = [delegationStatement(delegation), delegationResource(delegation)];
  if (Buffer.byteLength(statement) > statementBytesMax || Buffer.byteLength(resource) > resourceBytesMax)
    throw refused('delegation_oversized', 'The delegation has too many or too long scopes.');
  const now = services.now();
  const read = await readSignedMessage(signed, { host: request.signedHost }, now).catch((error: unknown) => {
    const reason = error instanceof ServiceError ? error.details.reason : undefined;
    if (reason === 'signature_invalid' || reason === 'signature_malleable')
      throw new ServiceError('INVALID_AUTH', { label: 'delegation_signature_invalid', details: { reason } });
    if (typeof reason === 'string')
      throw new ServiceError('CI_DELEGATION_INVALID', {
        label: reason === 'header_too_large' ? 'delegation_oversized' : 'delegation_parse_failed',
        message: 'The signed delegation cannot be read, or is not for this gateway now.',
        details: { ...(error as ServiceError).details },
      });
    throw error;
  });
  const { message } = read;
  if (message.nonce !== delegation.nonce.slice(0, 16))
    throw refused('delegation_nonce_invalid', 'The signed message has another nonce.');
  if (message.statement !== statement)
    throw new ServiceError('CI_DELEGATION_INVALID', {
      label: 'delegation_statement_mismatch',
      message: 'The statement that was signed is not that of the binding.',
      details: { expected: statement },
    });
  if (message.resources?.length !== 1 || message.resources[0] !== resource)
    throw new ServiceError('CI_DELEGATION_INVALID', {
      label: 'delegation_resource_uri_mismatch',
      message: 'The one resource that was signed is not that of the binding.',
      details: { expected: resource },
    });
  if (caller.kind !== 'wallet' || caller.address.toLowerCase() !== read.address)
    throw new ServiceError('FORBIDDEN', {
      label: 'signer_mismatch',
      message: 'The wallet that signed the delegation has to ask for the binding itself.',
    });
  return { payload: signed, raw: read.text, signer: read.address, verified_at: now.toISOString() };
}
