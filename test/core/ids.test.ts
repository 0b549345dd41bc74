import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUuid, newId, projectIdPattern } from '../../core/ids.ts';

test('an id is its prefix and 26 characters that need no escaping anywhere', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('prj'));
  for (const id of ids) expect(id).toMatch(/^prj_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => projectIdPattern.test(id))).toBe(true);
});

test('ids of later moments sort after ids of earlier ones', () => {
  const moments = fc.integer({ min: 0, max: 2 ** 47 });
  fc.assert(
    fc.property(moments, moments, (one, other) => {
      fc.pre(one !== other);
      expect(newId('msg', one) < newId('msg', other)).toBe(one < other);
    }),
  );
});

test('a UUID is known by its form, in any version and letter case', () => {
  for (const good of [randomUUID(), randomUUID().toUpperCase(), '00000000-0000-0000-0000-000000000000']) {
    expect(isUuid(good)).toBe(true);
  }
  for (const bad of [
    '',
    'x',
    `{${randomUUID()}}`,
    randomUUID().replaceAll('-', ''),
    `${randomUUID()}\n`,
    `${randomUUID()}0`,
  ]) {
    expect(isUuid(bad)).toBe(false);
  }
});
