import type { Services } from '../context.ts';

/**
 * The wallet that payments to this installation go to, in the mixed case of EIP-55. One that was given none has a wallet
 * of its own, whose key is derived from the root secret: what is paid to it is nobody else's.
 */
export async function settlementAddress({ settings, keys }: Pick<Services, 'settings' | 'keys'>): Promise<string> {
  if (settings.settlementAddress !== undefined) {
    const { getAddress } = await import('viem/utils');
    return getAddress(settings.settlementAddress);
  }
  // Loaded for the first that asks, as for the first wallet that signs in.
  const { privateKeyToAddress } = await import('viem/accounts');
  return privateKeyToAddress(`0x${keys.key('settlement').toString('hex')}`);
}
