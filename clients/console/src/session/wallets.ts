import { hexOf, type Signer } from './siwx.ts';

/** A wallet's provider object (EIP-1193). */
export interface WalletProvider {
  readonly request: (asked: { readonly method: string; readonly params?: readonly unknown[] }) => Promise<unknown>;
}

/** A wallet of the browser. */
export interface FoundWallet {
  /** Its name in reverse domain notation, or `injected` for a wallet that does not announce itself. */
  readonly id: string;
  readonly name: string;
  readonly provider: WalletProvider;
}

interface Announcement extends Event {
  readonly detail?: {
    readonly info: { readonly rdns: string; readonly name: string };
    readonly provider: WalletProvider;
  };
}

/**
 * How long to wait for announcements of wallets, in milliseconds. A wallet announces itself in the same turn, if at
 * all.
 */
const introductionMs = 100;

/** All wallets that announce themselves (EIP-6963), otherwise the injected one. */
export async function findWallets(): Promise<readonly FoundWallet[]> {
  const found = new Map<string, FoundWallet>();
  const hear = (event: Announcement) => {
    const { info, provider } = event.detail ?? {};
    if (info !== undefined && provider !== undefined)
      found.set(info.rdns, { id: info.rdns, name: info.name, provider });
  };
  addEventListener('eip6963:announceProvider', hear);
  dispatchEvent(new Event('eip6963:requestProvider'));
  await new Promise((resolve) => setTimeout(resolve, introductionMs));
  removeEventListener('eip6963:announceProvider', hear);
  const { ethereum } = window as { ethereum?: WalletProvider };
  if (found.size === 0 && ethereum !== undefined)
    found.set('injected', { id: 'injected', name: 'Browser wallet', provider: ethereum });
  return [...found.values()];
}

/** Asks a wallet for its account. The wallet asks its owner. */
export async function walletSigner({ name, provider }: FoundWallet): Promise<Signer> {
  const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
  if (address === undefined) throw new Error('The wallet has no account to offer.');
  const chain = String(await provider.request({ method: 'eth_chainId' }));
  return {
    kind: 'wallet',
    label: name,
    address,
    chainId: BigInt(chain).toString(),
    signText: async (text) =>
      String(await provider.request({ method: 'personal_sign', params: [hexOf(text), address] })),
  };
}
