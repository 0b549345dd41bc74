import { afterAll, expect, test } from 'vitest';
import { withoutPaths } from '../../core/without-paths.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { send, sql, key } = await dataProject(service);

const statements = [
  ['a synonym dictionary', "create text search dictionary d (template = synonym, synonyms = 'missing')", 'missing.syn'],
  ['a simple dictionary', "create text search dictionary d (template = simple, stopwords = 'missing')", 'missing.stop'],
  [
    'an Ispell dictionary',
    "create text search dictionary d (template = ispell, dictfile = 'missing', afffile = 'missing')",
    'missing',
  ],
  [
    'a thesaurus',
    "create text search dictionary d (template = thesaurus, dictfile = 'missing', dictionary = simple)",
    'missing.ths',
  ],
] as const;

test.each(statements)(
  '%s whose file is missing tells its name and not where it would be',
  async (_what, text, name) => {
    const { status, body } = await send(text);
    const { message, detail } = body.details;
    expect([status, body.code]).toEqual([400, 'SQL_ERROR']);
    expect(message).toContain(`"${name}`);
    expect(JSON.stringify([message, detail, body.message])).not.toMatch(/[\\/](?!")/);
  },
);

test('a function says no more by the routes of rows', async () => {
  const [, text] = statements[0];
  await sql(`create function broken() returns void language plpgsql as $f$ begin execute $x$${text}$x$; end $f$`);
  const answer = await service.call<{ message: string }>(key, 'POST', '/admin/v1/rest/rpc/broken', { body: {} });
  expect(answer.status).toBe(500);
  expect(answer.body.message).toMatch(/"missing\.syn"/);
  expect(answer.text).not.toMatch(/tsearch_data|share/);
});

test.each([
  [
    '58P01',
    'could not open file "/srv/data/base/5/16384": No such file or directory',
    'could not open file "16384": No such file or directory',
  ],
  ['XX000', 'could not access file /srv/lib/x.so: gone', 'could not access file x.so: gone'],
  [
    '0A000',
    'Could not open extension control file "/usr/share/my extensions/x.control": No such file',
    'Could not open extension control file "x.control": No such file',
  ],
  ['58P01', 'could not open file "C:\\Program Files\\data\\x.txt"', 'could not open file "x.txt"'],
  ['P0001', 'see https://example.com/a/b and /docs/page', 'see https://example.com/a/b and /docs/page'],
  ['22P02', 'invalid input syntax for type uuid: "/a/b"', 'invalid input syntax for type uuid: "/a/b"'],
])('%s: %s', (code, text, told) => {
  expect(withoutPaths(code, text)).toBe(told);
});
