import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils';
import type { Signer } from './siwx.ts';

/** Base Sepolia, a test network. */
const trialChain = '84532';

/** A signer with a key that this browser stores; creates the key if there is none. For development only. */
export async function throwAwaySigner(): Promise<Signer> {
  const key = (await readKey()) ?? (await keepKey(secp256k1.utils.randomPrivateKey()));
  const publicKey = secp256k1.getPublicKey(key, false);
  return {
    kind: 'key',
    label: 'Throw-away key',
    address: `0x${bytesToHex(keccak_256(publicKey.slice(1)).slice(-20))}`,
    chainId: trialChain,
    async signText(text) {
      const bytes = utf8ToBytes(text);
      const prefix = utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`);
      const signature = secp256k1.sign(keccak_256(concatBytes(prefix, bytes)), key);
      return `0x${signature.toCompactHex()}${(27 + signature.recovery).toString(16)}`;
    },
  };
}

/** Deletes the key. The next one is another identity. */
export const forgetKey = (): Promise<unknown> => inStore('readwrite', (keys) => keys.delete(keyName));

const keyName = 'throw-away';

const readKey = (): Promise<Uint8Array | undefined> => inStore('readonly', (keys) => keys.get(keyName));

async function keepKey(key: Uint8Array): Promise<Uint8Array> {
  await inStore('readwrite', (keys) => keys.put(key, keyName));
  return key;
}

async function inStore<Result>(
  mode: IDBTransactionMode,
  ask: (keys: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opening = indexedDB.open('svc-console', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('keys');
  const database = await answerOf(opening);
  try {
    return await answerOf(ask(database.transaction('keys', mode).objectStore('keys')));
  } finally {
    database.close();
  }
}

const answerOf = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
