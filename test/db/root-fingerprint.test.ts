import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { migrateControlDatabase } from '../../db/migrate.ts';
import { openDatabase } from '../../db/pool.ts';
import { checkRootFingerprint } from '../../db/root-fingerprint.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

const postgres = await startOwnPostgres();
const { url } = await postgres.database();
await migrateControlDatabase(url);
const db = openDatabase({ url });
afterAll(async () => {
  await db.close();
  await postgres.stop();
});
beforeEach(() => db.pool.query('delete from platform_facts'));

const [oldRoot, newRoot] = [randomBytes(32), randomBytes(32)] as const;
const stored = async () => (await db.pool.query<{ value: unknown }>('select value from platform_facts')).rows;

test('the first start stores the fingerprint and later starts find it', async () => {
  expect(await checkRootFingerprint(db, new KeyRing(oldRoot))).toBe('stored');
  expect(await checkRootFingerprint(db, new KeyRing(oldRoot))).toBe('matched');
  expect(await stored()).toEqual([{ value: new KeyRing(oldRoot).fingerprints()[0] }]);
});

test('a node with another root is refused in one sentence and changes nothing', async () => {
  await checkRootFingerprint(db, new KeyRing(oldRoot));
  const refused = checkRootFingerprint(db, new KeyRing(newRoot));
  await expect(refused).rejects.toThrow(/^This control database belongs to another root secret: .+\.$/);
  expect(await stored()).toEqual([{ value: new KeyRing(oldRoot).fingerprints()[0] }]);
});

test('a rotation moves the fingerprint, and the old root alone is refused from then on', async () => {
  await checkRootFingerprint(db, new KeyRing(oldRoot));
  expect(await checkRootFingerprint(db, new KeyRing(newRoot, oldRoot))).toBe('rotated');
  expect(await checkRootFingerprint(db, new KeyRing(newRoot, oldRoot))).toBe('matched');
  expect(await checkRootFingerprint(db, new KeyRing(newRoot))).toBe('matched');
  await expect(checkRootFingerprint(db, new KeyRing(oldRoot))).rejects.toThrow(/another root secret/);
});

test('nodes that start together agree: one stores, one rotates, the others match', async () => {
  const together = (keys: KeyRing) => Promise.all(Array.from({ length: 10 }, () => checkRootFingerprint(db, keys)));
  const count = (results: readonly string[], result: string) => results.filter((one) => one === result).length;
  const first = await together(new KeyRing(oldRoot));
  expect([count(first, 'stored'), count(first, 'matched')]).toEqual([1, 9]);
  const second = await together(new KeyRing(newRoot, oldRoot));
  expect([count(second, 'rotated'), count(second, 'matched')]).toEqual([1, 9]);
});

test('of nodes with different roots that start together, those with one root are refused', async () => {
  const roots = Array.from({ length: 6 }, (_, i) => new KeyRing(i % 2 === 0 ? oldRoot : newRoot));
  const results = await Promise.allSettled(roots.map((keys) => checkRootFingerprint(db, keys)));
  const winner = (await stored())[0]!.value;
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
    roots.map((keys) => keys.fingerprints()[0] === winner),
  );
});
