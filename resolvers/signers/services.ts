import { ServiceError } from '../../core/errors.ts';
import { ChainUnavailable } from '../../engines/chains/finding.ts';
import type { KeyWrapper } from '../../engines/signers/key-wrapper.ts';
import type { SignerChainName } from '../../engines/signers/networks.ts';
import type { SignerChain } from '../../engines/signers/signer-chain.ts';
import type { SignerChains } from '../../engines/signers/signer-chains.ts';
import type { Services } from '../../kernel/run/context.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Keys of signers. */
    readonly signerKeys: KeyWrapper;
    /** Chains that signers sign for. */
    readonly signerChains: SignerChains;
  }
}

/**
 * Asks a chain before anything is begun.
 *
 * @throws CHAIN_NOT_CONFIGURED, UPSTREAM_UNAVAILABLE with 502
 */
export async function onChain<T>(
  { signerChains }: Pick<Services, 'signerChains'>,
  name: SignerChainName,
  ask: (chain: SignerChain) => Promise<T>,
): Promise<T> {
  requireOffered({ signerChains }, name);
  try {
    return await ask(await signerChains.open(name));
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    throw new ServiceError('UPSTREAM_UNAVAILABLE', {
      message: 'The chain could not be asked, so nothing was begun.',
      status: 502,
      details: { chain: name },
      mutationState: 'not_started',
      retryAfter: 2,
      cause: error,
    });
  }
}

/** @throws CHAIN_NOT_CONFIGURED */
export function requireOffered({ signerChains }: Pick<Services, 'signerChains'>, name: SignerChainName): void {
  if (!signerChains.offers(name)) throw new ServiceError('CHAIN_NOT_CONFIGURED', { details: { chain: name } });
}
