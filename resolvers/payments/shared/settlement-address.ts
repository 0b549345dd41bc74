import type { Address } from '../../../engines/x402/networks.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** By key ring: deriving a wallet takes as long as many a request. */
const known = new WeakMap<Services['keys'], Promise<Address>>();

/**
 * The wallet that payments to this installation go to, in the mixed case of EIP-55. One that was given none has a wallet
 * of its own, whose key is derived from the root secret: what is paid to it is nobody else's.
 */
export function settlementAddress({ settings, keys }: Pick<Services, 'settings' | 'keys'>): Promise<Address> {
  let address = known.get(keys);
  if (address === undefined) {
    address = read(settings.settlementAddress, keys);
    known.set(keys, address);
    address.catch(() => known.delete(keys));
  }
  return address;
}

async function read(configured: string | undefined, keys: Services['keys']): Promise<Address> {
  if (configured !== undefined) {
    const { getAddress } = await import('viem/utils');
    return getAddress(configured);
  }
  // Loaded for the first that asks, as for the first wallet that signs in.
  const { privateKeyToAddress } = await import('viem/accounts');
  return privateKeyToAddress(`0x${keys.key('settlement').toString('hex')}`);
}
