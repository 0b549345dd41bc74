import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** A wallet as browsers' extensions put it into pages. */
export interface BrowserWallet {
  /** Lower case. */
  readonly address: string;
  /** For `first` of a console page: puts the wallet there, and has it note what it was asked, in `asked`. */
  readonly script: string;
  /** For the page's function `signAsWallet`. */
  readonly sign: (raw: `0x${string}`) => Promise<string>;
}

/** @param announced whether it introduces itself (EIP-6963), as `Example Wallet`; else it is `window.ethereum` */
export function browserWallet(announced: boolean): BrowserWallet {
  const account = privateKeyToAccount(generatePrivateKey());
  const address = account.address.toLowerCase();
  return {
    address,
    sign: (raw) => account.signMessage({ message: { raw } }),
    script: `
      globalThis.asked = [];
      const provider = { async request({ method, params }) {
        asked.push(method);
        if (method === 'eth_requestAccounts') return ['${address}'];
        if (method === 'eth_chainId') return '0x2105';
        if (method === 'personal_sign') return globalThis.signAsWallet(params[0]);
        throw new Error('not known: ' + method);
      } };
      if (${announced}) addEventListener('eip6963:requestProvider', () => dispatchEvent(new CustomEvent(
        'eip6963:announceProvider', { detail: { info: { rdns: 'com.example', name: 'Example Wallet' }, provider } })));
      else globalThis.ethereum = provider;`,
  };
}
