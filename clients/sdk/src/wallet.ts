import { hexOf, randomHex } from './bytes.ts';
import { checksumAddress } from './checksum.ts';
import type { Credential } from './credentials.ts';
import { laterAt } from './later-at.ts';

/** Whatever signs a text in the name of a wallet: a browser’s extension, a key in memory, a service. */
export interface WalletSigner {
  /** In any spelling. */
  readonly address: string;
  /** Signs by EIP-191 (`personal_sign`). */
  readonly signMessage: (message: string) => Promise<string>;
}

export interface WalletOptions extends WalletSigner {
  /** Shown to the person who is asked to sign. @default 'Sign in to the gateway.' */
  readonly statement?: string | undefined;
  /** CAIP-2. @default 'eip155:84532' */
  readonly chainId?: string | undefined;
  /** What time it is, in milliseconds since 1970; put right where the gateway says that it is wrong. @default the machine’s clock */
  readonly now?: (() => number) | undefined;
}

/** How long a signature is good, in milliseconds; a little less is used, for clocks differ. */
const lifetimeMs = 5 * 60_000;
const spareMs = 30_000;
const keptMax = 100;

/**
 * Signs requests with a wallet (`SIGN-IN-WITH-X`). A signature names the path that it is for: one is used again for reads
 * of the same path while it is good, and each change gets one of its own. Contract 04, section 0.2.
 */
export function wallet(options: WalletOptions): Credential {
  /** How much later it is at the gateway, in milliseconds, as far as it has said so. */
  let laterMs = 0;
  const clock = options.now ?? Date.now;
  const now = () => clock() + laterMs;
  const signer = { ...options, address: checksumAddress(options.address), now };
  const kept = new Map<string, { readonly header: Promise<string>; readonly until: number }>();

  const sign = (uri: string): Promise<string> => signInHeader(signer, uri);

  const forRead = (uri: string): Promise<string> => {
    const at = Date.now();
    const known = kept.get(uri);
    if (known !== undefined && known.until > at) return known.header;
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value!);
    const header = sign(uri);
    kept.set(uri, { header, until: at + lifetimeMs - spareMs });
    // A refused signature is nothing to be remembered.
    header.catch(() => kept.delete(uri));
    return header;
  };

  return {
    headers: async ({ baseUrl, path, isChange }) => ({
      'sign-in-with-x': await (isChange ? sign : forRead)(baseUrl + path),
    }),
    // The one refusal that another signature of the same wallet may mend: its times are those of a clock that is wrong.
    renew: async (_refused, refusal) => {
      const later = laterAt(refusal, clock());
      if (later === undefined) return false;
      laterMs = later;
      kept.clear();
      return true;
    },
  };
}

/**
 * A fresh value of the header `SIGN-IN-WITH-X`.
 *
 * @param uri what is asked, without its query
 * @param nonce where the gateway named one
 * @param resources what the signature is for, besides
 */
export async function signInHeader(
  {
    address,
    signMessage,
    statement = 'Sign in to the gateway.',
    chainId = 'eip155:84532',
    now = Date.now,
  }: WalletOptions,
  uri: string,
  nonce = randomHex(),
  resources?: readonly string[],
): Promise<string> {
  const issued = now();
  const fields = {
    domain: new URL(uri).hostname,
    address: checksumAddress(address),
    statement,
    uri,
    version: '1',
    chainId,
    nonce,
    issuedAt: new Date(issued).toISOString(),
    expirationTime: new Date(issued + lifetimeMs).toISOString(),
    ...(resources === undefined ? {} : { resources }),
  };
  const signature = await signMessage(signedText(fields));
  return base64({ ...fields, type: 'eip191', signature });
}

interface SignedFields {
  readonly domain: string;
  readonly address: string;
  readonly statement: string;
  readonly uri: string;
  readonly version: string;
  readonly chainId: string;
  readonly nonce: string;
  readonly issuedAt: string;
  readonly expirationTime: string;
  readonly resources?: readonly string[];
}

/** The text of EIP-4361. */
const signedText = (fields: SignedFields): string =>
  [
    `${fields.domain} wants you to sign in with your Ethereum account:`,
    fields.address,
    '',
    fields.statement,
    '',
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId.slice(fields.chainId.indexOf(':') + 1)}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    `Expiration Time: ${fields.expirationTime}`,
    ...(fields.resources === undefined ? [] : ['Resources:', ...fields.resources.map((one) => `- ${one}`)]),
  ].join('\n');

const base64 = (value: unknown): string => {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
};

/** A wallet of the browser (EIP-1193), such as `window.ethereum`. */
export interface Eip1193Provider {
  // biome-ignore lint/suspicious/noExplicitAny: what wallets declare differs, and only two methods are called.
  readonly request: (args: { method: string; params?: any }) => Promise<any>;
}

/** The signer of a browser’s wallet; asks its owner which account it is. */
export async function browserSigner(provider: Eip1193Provider): Promise<WalletSigner> {
  const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
  if (address === undefined) throw new Error('The wallet named no account.');
  return {
    address,
    signMessage: (message) => {
      const hex = hexOf(new TextEncoder().encode(message));
      return provider.request({ method: 'personal_sign', params: [`0x${hex}`, address] });
    },
  };
}
