import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

/** Returns an address with its checksum in letter case (EIP-55). */
export function checksumAddress(address: string): string {
  const lower = address.toLowerCase().replace(/^0x/, '');
  const digits = bytesToHex(keccak_256(utf8ToBytes(lower)));
  return `0x${[...lower].map((sign, at) => (Number.parseInt(digits[at]!, 16) > 7 ? sign.toUpperCase() : sign)).join('')}`;
}
