import { expect, test, vi } from 'vitest';
import { verifyWalletSignature } from '../../resolvers/identity/shared/wallet-signature.ts';
import { createWallet } from '../helpers/wallet.ts';

const library = vi.hoisted(() => ({ loaded: 0, recovered: 0 }));
vi.mock('tiny-secp256k1', async (importOriginal) => {
  const original = await importOriginal<typeof import('tiny-secp256k1')>();
  library.loaded += 1;
  const recover: typeof original.recover = (...parameters) => {
    library.recovered += 1;
    return original.recover(...parameters);
  };
  return { ...original, recover };
});

const baseUrl = 'http://localhost:4000';
const expected = { host: 'localhost:4000' };
const now = new Date('2026-03-06T12:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const ada = createWallet();

// First in this file: the module stays loaded afterwards.
test('arithmetic of curves is loaded by the first well-formed header, not before', async () => {
  await expect(verifyWalletSignature('garbage', expected, now)).rejects.toThrow();
  const old = await ada.header({ baseUrl, now: later(-3600) });
  await expect(verifyWalletSignature(old, expected, now)).rejects.toThrow();
  expect(library.loaded).toBe(0);
  await verifyWalletSignature(await ada.header({ baseUrl, now }), expected, now);
  expect(library.loaded).toBe(1);
});

test('a header used again is not recovered again', async () => {
  const header = await ada.header({ baseUrl, now });
  const first = await verifyWalletSignature(header, expected, now);
  const { recovered } = library;
  expect(await verifyWalletSignature(header, expected, later(30))).toEqual(first);
  expect(library.recovered).toBe(recovered);
});
