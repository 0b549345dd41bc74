import type { ChainName } from './networks.ts';

/** A transaction as it was named: on which kind of chain, and by which hash in its normal form. */
export interface NamedTransaction {
  readonly family: 'evm' | 'ton';
  /** `0x` and lower-case hex; on TON lower-case hex alone. */
  readonly hash: string;
}

/** 32 bytes: 43 characters of base64 or base64url, and one of padding. */
const base64Hash = /^[A-Za-z0-9+/_-]{43}=$/;

/** A hash of TON in any of its spellings, as lower-case hex; undefined for what is none. Contract 00, section 2.1. */
export function tonHash(text: string): string | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  if (!base64Hash.test(text)) return undefined;
  return Buffer.from(text, 'base64').toString('hex');
}

/** Undefined for what is the hash of no transaction on any of the networks. */
export function readTransactionHash(text: string): NamedTransaction | undefined {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return { family: 'evm', hash: text.toLowerCase() };
  const hash = tonHash(text);
  return hash === undefined ? undefined : { family: 'ton', hash };
}

export const familyOf = (network: ChainName): NamedTransaction['family'] => (network === 'ton' ? 'ton' : 'evm');
