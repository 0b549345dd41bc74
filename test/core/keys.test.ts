import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KeyPurpose, KeyRing, sameSecret, sha256Hex } from '../../core/keys.ts';

const [old, current] = [randomBytes(32), randomBytes(32)];
const before = new KeyRing(old);
const rotating = new KeyRing(current, old);
const after = new KeyRing(current);
const purposes: KeyPurpose[] = [
  'project-keys',
  'cursors',
  'database-passwords',
  'session-tokens',
  'stored-outcomes',
  'fingerprint',
];

test('every purpose has a key of its own, the same whenever it is asked for', () => {
  const made = purposes.map((purpose) => before.key(purpose).toString('hex'));
  expect(new Set([...made, old.toString('hex')]).size).toBe(purposes.length + 1);
  expect(purposes.map((purpose) => new KeyRing(old).key(purpose).toString('hex'))).toEqual(made);
});

test('what is made uses the current root; what the previous one made still opens until it is dropped', () => {
  const plain = Buffer.from('a stored answer');
  const sealed = before.seal('stored-outcomes', plain, 'ctx');
  expect(rotating.open('stored-outcomes', sealed, 'ctx')).toEqual(plain);
  expect(() => after.open('stored-outcomes', sealed, 'ctx')).toThrow();
  expect(after.open('stored-outcomes', rotating.seal('stored-outcomes', plain, 'ctx'), 'ctx')).toEqual(plain);

  const mac = before.mac('cursors', 'data');
  expect(rotating.verifyMac('cursors', 'data', mac)).toBe(true);
  expect(after.verifyMac('cursors', 'data', mac)).toBe(false);
  expect(after.verifyMac('cursors', 'data', rotating.mac('cursors', 'data'))).toBe(true);
});

test('a sealed text opens only whole, under its own purpose and context', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (plain, at, flip) => {
      const sealed = before.seal('stored-outcomes', plain, 'mine');
      expect(before.open('stored-outcomes', sealed, 'mine')).toEqual(Buffer.from(plain));
      expect(() => before.open('stored-outcomes', sealed, 'other')).toThrow();
      expect(() => before.open('session-tokens', sealed, 'mine')).toThrow();
      sealed[at % sealed.length]! ^= flip;
      expect(() => before.open('stored-outcomes', sealed, 'mine')).toThrow();
    }),
  );
});

test('the same text never seals to the same bytes twice', () => {
  const seals = Array.from({ length: 20 }, () => before.seal('stored-outcomes', Buffer.from('x'), '').toString('hex'));
  expect(new Set(seals).size).toBe(20);
});

test('a MAC of other data, another purpose or another length of nothing is refused', () => {
  const mac = before.mac('cursors', 'data');
  expect(before.verifyMac('cursors', 'datb', mac)).toBe(false);
  expect(before.verifyMac('session-tokens', 'data', mac)).toBe(false);
  expect(before.verifyMac('cursors', 'data', mac.subarray(0, 12))).toBe(true);
});

test('fingerprints name the roots in order and give nothing of them away', () => {
  expect(rotating.fingerprints()).toEqual([...after.fingerprints(), ...before.fingerprints()]);
  expect(rotating.fingerprints().join()).not.toContain(current.toString('hex').slice(0, 16));
});

test('a root has 32 bytes and there is at least one', () => {
  expect(() => new KeyRing()).toThrow(/needs a root/);
  expect(() => new KeyRing(randomBytes(31))).toThrow(/32 bytes/);
  expect(() => new KeyRing(current, randomBytes(33))).toThrow(/32 bytes/);
});

test('secrets of any length are compared whole', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (left, right) => sameSecret(left, right) === (left === right)));
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
