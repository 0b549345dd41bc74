import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterOf } from '../../engines/acme/acme-error.ts';
import { newCertificateKey } from '../../engines/acme/order.ts';
import { signingRequest } from '../../engines/acme/signing-request.ts';
import { renewalMoment, retryMoment } from '../../resolvers/hosts/certificates/schedule.ts';
import { createTestAuthority, daysFrom } from '../helpers/test-authority.ts';

const hour = 3_600_000;

test('a certificate is renewed in the last part of its life, with time for many failures', () => {
  const life = fc.record({
    start: fc.integer({ min: 0, max: 4e12 }),
    hours: fc.integer({ min: 24, max: 10_000 }),
    chance: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(life, ({ start, hours, chance }) => {
      const given = { notBefore: new Date(start), notAfter: new Date(start + hours * hour) };
      const lived = (renewalMoment(given, chance).getTime() - start) / (hours * hour);
      expect(lived).toBeGreaterThan(0.63);
      expect(lived).toBeLessThan(0.67);
    }),
  );
});

test('pauses after failures double up to a day, and never let five proofs fail in an hour', () => {
  const now = new Date(0);
  const minutes = Array.from({ length: 12 }, (_none, at) => retryMoment(at + 1, now).getTime() / 60_000);
  expect(minutes).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440, 1440, 1440, 1440]);
});

test('a wait that an authority asks for is read as seconds or as a date, and is a day at most', () => {
  expect(retryAfterOf(null)).toBeUndefined();
  expect(retryAfterOf('120')).toBe(120);
  expect(retryAfterOf('999999999')).toBe(86_400);
  expect(retryAfterOf('Thu, 01 Jan 1970 00:01:00 GMT', 0)).toBe(60);
  expect(retryAfterOf('Thu, 01 Jan 1970 00:01:00 GMT', 3_600_000)).toBe(0);
  expect(retryAfterOf('soon')).toBeUndefined();
});

test.each(['a.example', `${'long-label-'.repeat(5)}.${'more.'.repeat(30)}example.org`])(
  'the request for a certificate of %s is signed, and names that host alone',
  async (host) => {
    const key = await newCertificateKey();
    const { chain, names } = createTestAuthority().issue(signingRequest(host, key), daysFrom(0, 1));
    expect(names).toEqual([host]);
    expect(chain).toContain('BEGIN CERTIFICATE');
  },
);
