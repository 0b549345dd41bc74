import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils';
import { checksumAddress } from '../../../sdk/src/checksum.ts';
import { local } from '../failure.ts';

/** A private key, `0x` and 64 hexadecimal digits. */
export const randomKey = (): string => `0x${bytesToHex(secp256k1.utils.randomPrivateKey())}`;

/** The address of a private key, in the letter case of EIP-55. @throws BAD_PRIVATE_KEY */
export function addressOf(privateKey: string): string {
  const key = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(privateKey)?.[1];
  if (key === undefined || !secp256k1.utils.isValidPrivateKey(key))
    throw local('BAD_PRIVATE_KEY', 'That is no private key: 0x and 64 hexadecimal digits.');
  const point = secp256k1.getPublicKey(key, false).subarray(1);
  return checksumAddress(`0x${bytesToHex(keccak_256(point).subarray(12))}`);
}

/** Signs a text as wallets do (EIP-191). @returns 65 bytes as `0x…` */
export function signText(privateKey: string, text: string): string {
  const bytes = utf8ToBytes(text);
  return signDigest(
    privateKey,
    keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes)),
  );
}

function signDigest(privateKey: string, digest: Uint8Array): string {
  const signature = secp256k1.sign(digest, privateKey.slice(2));
  return `0x${signature.toCompactHex()}${(27 + signature.recovery).toString(16)}`;
}

/** What the owner of tokens signs so that they go to a receiver, once, within a time (ERC-3009). */
export interface TransferAuthorization {
  readonly from: string;
  readonly to: string;
  /** In the token's smallest unit. */
  readonly value: string;
  /** Unix seconds. */
  readonly validAfter: string;
  readonly validBefore: string;
  /** 32 bytes as `0x…`. */
  readonly nonce: string;
}

/** The token that is signed for. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly contract: string;
}

/** Signs a transfer of tokens (EIP-712). */
export function signTransfer(privateKey: string, domain: TokenDomain, transfer: TransferAuthorization): string {
  const domainHash = structHash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)', [
    keccak_256(utf8ToBytes(domain.name)),
    keccak_256(utf8ToBytes(domain.version)),
    number(BigInt(domain.chainId)),
    address(domain.contract),
  ]);
  const messageHash = structHash(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
    [
      address(transfer.from),
      address(transfer.to),
      number(BigInt(transfer.value)),
      number(BigInt(transfer.validAfter)),
      number(BigInt(transfer.validBefore)),
      hexToBytes(transfer.nonce.slice(2)),
    ],
  );
  return signDigest(privateKey, keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), domainHash, messageHash)));
}

const structHash = (type: string, words: readonly Uint8Array[]) =>
  keccak_256(concatBytes(keccak_256(utf8ToBytes(type)), ...words));
const number = (value: bigint) => hexToBytes(value.toString(16).padStart(64, '0'));
const address = (text: string) => hexToBytes(text.slice(2).toLowerCase().padStart(64, '0'));
