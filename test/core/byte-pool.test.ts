import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BytePool } from '../../core/byte-pool.ts';

test('what is lent is nobody else’s until it is given back, and has the size that was asked for', () => {
  const step = fc.oneof(
    fc.record({ take: fc.integer({ min: 1, max: 4_000 }) }),
    fc.record({ giveBack: fc.nat(20), times: fc.integer({ min: 1, max: 2 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pool = new BytePool({ from: 64, keep: 8_192 });
      const lent: { readonly bytes: Buffer; readonly mark: number }[] = [];
      for (const [at, one] of steps.entries()) {
        const mark = (at % 255) + 1;
        if ('take' in one) {
          const bytes = pool.take(one.take);
          expect(bytes.length).toBe(one.take);
          lent.push({ bytes: bytes.fill(mark), mark });
        } else {
          const [back] = lent.splice(one.giveBack, 1);
          // A second time means nothing, though somebody may have it by then.
          for (let time = 0; back !== undefined && time < one.times; time++) pool.giveBack(back.bytes);
        }
        expect(pool.kept).toBeLessThanOrEqual(8_192);
        for (const { bytes, mark: own } of lent) expect(bytes.every((byte) => byte === own)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test('memory that was given back is used again, and what is not the pool’s is left alone', () => {
  const pool = new BytePool({ from: 64 });
  const first = pool.take(1_000);
  pool.giveBack(first);
  const { kept } = pool;
  expect(kept).toBeGreaterThanOrEqual(1_000);
  pool.giveBack(Buffer.alloc(1_000));
  pool.giveBack(pool.take(10));
  expect(pool.kept).toBe(kept);
  expect(pool.take(990).buffer).toBe(first.buffer);
  expect(pool.kept).toBe(0);
});

test('a pool that nobody uses keeps nothing', async () => {
  const pool = new BytePool({ from: 64, idleMs: 20 });
  pool.giveBack(pool.take(1_000));
  expect(pool.kept).toBeGreaterThan(0);
  await expect.poll(() => pool.kept).toBe(0);
});
