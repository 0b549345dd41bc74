import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { fitPayload, payloadBytesMax } from '../../kernel/feeds/fit-payload.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { feedsOf } from './feed.ts';

const service = await sharedService();
afterAll(() => service.stop());
const feed = feedsOf(service);

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** A payload of exactly so many bytes, of letters of some bytes each. */
function payloadOf(bytes: number, letter = 'a') {
  const room = bytes - bytesOf({ text: '' });
  const text = letter.repeat(Math.floor(room / Buffer.byteLength(letter)));
  return { text: text + 'a'.repeat(room - Buffer.byteLength(text)) };
}

test.each(['a', 'ü', '漢', '💥'])(
  'a payload of 8 KiB of %j is kept whole, and one byte more is cut',
  async (letter) => {
    const { emit, read } = await feed();
    const whole = payloadOf(payloadBytesMax, letter);
    expect(bytesOf(whole)).toBe(payloadBytesMax);
    const kept = await emit('fits_well', whole);
    expect([kept.status, kept.body.payload, kept.body.payload_truncated]).toEqual([201, whole, undefined]);
    const cut = await emit('too_large', { id: 7, ...payloadOf(payloadBytesMax + 1, letter) });
    const payload = { id: 7, payload_truncated: true, dropped_keys: ['text'] };
    expect(cut.body).toMatchObject({ payload, payload_truncated: true });
    expect((await read()).body.events.map((event: { payload: object }) => event.payload)).toEqual([whole, payload]);
  },
);

test.each(['{"__proto__":{"a":1}}', '{"b":[{"__proto__":1}]}'])(
  'a payload that could not be kept as it is, %s, is refused and not kept without it',
  async (json) => {
    const { emit, read } = await feed();
    const refused = await emit('told_whole', JSON.parse(json));
    expect([refused.status, refused.body.code, refused.body.details.field]).toEqual([
      400,
      'VALIDATION_FAILED',
      'payload',
    ]);
    expect((await read()).body.events).toEqual([]);
  },
);

test('the largest keys go first, and as few as it takes', async () => {
  const { emit } = await feed();
  const { body } = await emit('too_large', { a: 'a'.repeat(3_000), b: 'b'.repeat(5_000), c: 'c'.repeat(4_000), d: 4 });
  expect(body.payload).toEqual({
    a: 'a'.repeat(3_000),
    c: 'c'.repeat(4_000),
    d: 4,
    payload_truncated: true,
    dropped_keys: ['b'],
  });
});

test('a replay of a cut one says so, too; an application’s word for it does not count', async () => {
  const { emit } = await feed();
  const key = { idempotency_key: 'one' };
  const first = await emit('too_large', { big: 'a'.repeat(9_000), payload_truncated: false, dropped_keys: [] }, key);
  expect(first.body.payload).toEqual({ payload_truncated: true, dropped_keys: ['big'] });
  expect((await emit('too_large', {}, key)).body).toEqual({ ...first.body, deduplicated: true });
  const own = await emit('fits_well', { payload_truncated: true });
  expect([own.body.payload, own.body.payload_truncated]).toEqual([{ payload_truncated: true }, undefined]);
});

test('whatever is cut is small enough, holds nothing changed, and names what is missing', () => {
  const value = fc.oneof(fc.string({ maxLength: 6_000 }), fc.integer(), fc.array(fc.string(), { maxLength: 300 }));
  const name = fc.string({ minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 400 }), (given) => {
      const { payload, truncated } = fitPayload(given);
      expect(bytesOf(payload)).toBeLessThanOrEqual(payloadBytesMax);
      expect(truncated).toBe(bytesOf(given) > payloadBytesMax);
      if (!truncated) {
        expect(payload).toBe(given);
        return;
      }
      const { payload_truncated: flag, dropped_keys: dropped, ...kept } = payload;
      expect(flag).toBe(true);
      expect(given).toMatchObject(kept);
      const missing = Object.keys(given).filter((key) => !Object.hasOwn(kept, key));
      // Names that do not fit either are left out from the end.
      expect(missing.slice(0, (dropped as string[]).length)).toEqual(dropped);
    }),
    { numRuns: 300 },
  );
});

test('names that are larger than a payload may be are left out like the rest, however many there are', () => {
  const long = fitPayload({ ['k'.repeat(9_000)]: 1, id: 7 });
  expect(long.payload).toEqual({ id: 7, payload_truncated: true, dropped_keys: [] });
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key_${n}`, 'v'.repeat(10)]));
  const { payload } = fitPayload(many);
  expect(bytesOf(payload)).toBeLessThanOrEqual(payloadBytesMax);
  expect((payload.dropped_keys as string[]).length).toBeGreaterThan(100);
});
