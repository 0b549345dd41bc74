import { afterAll, expect, test } from 'vitest';
import { createPasswordHasher } from '../../engines/passwords/hasher.ts';

// As the gateway makes one: tests of sign-in give theirs a lower cost.
const hasher = createPasswordHasher();
afterAll(() => hasher.close());

test('a hash names Argon2id with what OWASP asks for at the least, and fits its password alone', async () => {
  const [one, two] = [await hasher.hash('secret'), await hasher.hash('secret')];
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(two).not.toBe(one);
  expect(await hasher.verify(one, 'secret')).toBe(true);
  for (const wrong of ['Secret', 'secret ', 'secre', '', 'sécret']) expect(await hasher.verify(one, wrong)).toBe(false);
});

test('without a hash no password is right, not even one that somebody guessed', async () => {
  expect(await hasher.verify(undefined, 'secret')).toBe(false);
  expect(await hasher.verify(undefined, '')).toBe(false);
});
