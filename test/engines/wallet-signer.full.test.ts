import fc from 'fast-check';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { getAddress, recoverMessageAddress } from 'viem/utils';
import { expect, test } from 'vitest';
import { checksumAddress, walletSigner } from '../../engines/sign-in/wallet-signer.ts';

// Held against viem, which wallets sign with.

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((array) => `0x${Buffer.from(array).toString('hex')}` as const);

test('whoever signed a text is known by it, whatever it says', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (message) => {
      const signature = await account.signMessage({ message });
      expect(walletSigner(message, signature)).toBe(account.address.toLowerCase());
      expect(walletSigner(`${message}.`, signature)).not.toBe(account.address.toLowerCase());
    }),
  );
});

test('of any numbers the signer is who viem says, or nobody', async () => {
  await fc.assert(
    fc.asyncProperty(hex(64), fc.constantFrom('1b', '1c'), async (numbers, parity) => {
      const signature = `${numbers}${parity}` as const;
      const expected = await recoverMessageAddress({ message: 'hello', signature }).catch(() => undefined);
      expect(walletSigner('hello', signature)).toBe(expected?.toLowerCase());
    }),
  );
});

test('numbers out of range are nobody’s', () => {
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  const one = '1'.padStart(64, '0');
  const none = '0'.repeat(64);
  for (const [r, s] of [
    [none, one],
    [one, none],
    [order, one],
    [one, order],
  ])
    expect(walletSigner('hello', `0x${r}${s}1b`)).toBeUndefined();
});

test('addresses are spelt as viem spells them', () => {
  fc.assert(
    fc.property(hex(20), (address) => {
      expect(checksumAddress(address)).toBe(getAddress(address));
    }),
  );
});
