import { expect, test } from 'vitest';
import { diagnose } from '../../../engines/hosting/diagnose.ts';
import { resolve } from '../../../engines/hosting/resolve.ts';
import { hosted } from './hosted.ts';

const site = hosted({ site: ['index.html', 'a.txt'] });
const file = resolve(site, 'GET', '/a.txt');
const { size } = file.file!;

test.each([
  ['the whole file', { object: { actualSize: size }, platform: undefined }, [200, 'authorized', null, true]],
  [
    'nothing',
    { object: { actualSize: null }, platform: undefined },
    [503, 'missing_cas_object', 'STORAGE_UNAVAILABLE', false],
  ],
  [
    'other bytes',
    { object: { actualSize: size + 1 }, platform: undefined },
    [503, 'size_mismatch', 'STORAGE_UNAVAILABLE', false],
  ],
] as const)('a store that has %s of a file', (_case, facts, told) => {
  const { result, authorization, error, authorized } = diagnose(file, facts);
  expect([result, authorization, error, authorized]).toEqual(told);
});

test('a file that would be refused anyway is not looked for', () => {
  const refused = diagnose(resolve(site, 'POST', '/a.txt'), { object: { actualSize: null }, platform: undefined });
  expect([refused.result, refused.authorization, refused.authorized]).toEqual([405, 'authorized', false]);
});

test.each([
  [200, null, true],
  [404, 'ROUTE_NOT_FOUND', false],
  [405, 'METHOD_NOT_ALLOWED', false],
])('a path of the platform is none of the site’s, and gets %i', (platform, error, authorized) => {
  expect(diagnose(file, { object: { actualSize: size }, platform })).toMatchObject({
    result: platform,
    error,
    authorized,
    authorization: 'not_applicable',
    object: undefined,
    resolution: { match: 'none', file: null },
  });
});
