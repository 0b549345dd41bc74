import { afterAll, expect, test } from 'vitest';
import { giveRateBack } from '../helpers/project-rate.ts';
import type { CallOptions } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from './data-project.ts';
import { darkManifest, darkSchema, lightManifest, secret } from './hidden-names.ts';

/*
 * A request that names a dark table in one of its clauses learns as much as by a name that nothing has: neither whether
 * there is such a table, nor its columns, their types, its keys or what its rows hold.
 */

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
await project.sql(darkSchema);
// A way through the dark, and one that only a name of a constraint tells.
await project.sql(`create table through (near_id int references near, far_id int references far, primary key (near_id, far_id));
  insert into through values (1, 1);
  create table apart (id int primary key, dark_id int constraint apart_to_dark references dark)`);
const manifest = { tables: [...darkManifest.tables, { ...darkManifest.tables[0]!, name: 'apart' }] };
const anon = service.actors.apikey(project.anonKey);
const credentials = { body: { email: 'ada@example.com', password: 'correct horse battery' } };
await service.call(anon, 'POST', '/auth/v1/signup', credentials);
const { body: session } = await service.call<{ access_token: string }>(
  anon,
  'POST',
  '/auth/v1/token?grant_type=password',
  credentials,
);
const callers = {
  anon,
  user: { headers: async () => ({ apikey: project.anonKey, authorization: `Bearer ${session.access_token}` }) },
};
expect((await project.expose(manifest)).status).toBe(200);

type Asked = readonly [method: string, path: string, options?: CallOptions];
const ask = async (who: keyof typeof callers, [method, path, options]: Asked) => {
  // More is asked than a project may in a second.
  giveRateBack(service, project.projectId);
  const { status, text, headers } = await service.call(callers[who], method, `/rest/v1/${path}`, options);
  return { status, text, range: headers.get('content-range') };
};

/** With these names in place of one that nothing has, the answer has to be the same but for the name itself. */
const clauses: readonly ((name: string) => Asked)[] = [
  (name) => ['GET', `near?select=id,${name}(word)`],
  (name) => ['GET', `near?select=id,${name}(nosuch)`],
  (name) => ['GET', `near?select=id,${name}(word::int)`],
  (name) => ['GET', `near?select=id,${name}(*)&${name}.id=eq.none`],
  (name) => ['GET', `near?select=id,${name}(*)&${name}.nosuch=eq.1`],
  (name) => ['GET', `near?select=id,${name}!inner()`],
  (name) => ['GET', `near?select=id,${name}!left(id)&${name}=is.null`],
  (name) => ['GET', `near?select=id,...${name}(word)`],
  (name) => ['GET', `near?select=id,${name}(count)`],
  (name) => ['GET', `near?select=id,${name}(id.max())`],
  (name) => ['GET', `near?select=id,${name}(far(id))`],
  (name) => ['GET', `near?select=id,other:${name}(word)&order=other(word)`],
  (name) => ['GET', `near?select=id,${name}(word)&order=${name}(word)`],
  (name) => ['GET', `near?select=id,${name}(word)&${name}.order=word&${name}.limit=1`],
  (name) => ['GET', `near?order=${name}(word)`],
  (name) => ['GET', `near?${name}.word=eq.x`],
  (name) => ['GET', `near?or=(id.eq.1,${name}.word.eq.x)`],
  (name) => ['GET', `near?${name}=not.is.null`],
  (name) => ['GET', `far?select=id,${name}(word)`],
  (name) => ['GET', `far?select=id,near!${name}(id)`],
  (name) => ['GET', `near?select=id,far!${name}(id)`],
  (name) => ['POST', `near?columns=id,${name}`, { body: { id: 7 } }],
  (name) => [
    'POST',
    `near?on_conflict=${name}`,
    { body: { id: 7 }, headers: { prefer: 'resolution=merge-duplicates' } },
  ],
  (name) => ['POST', `near?select=id,${name}(word)`, { body: { id: 7 }, headers: { prefer: 'return=representation' } }],
  (name) => ['PATCH', `near?id=eq.7&${name}.id=eq.1`, { body: { id: 7 } }],
];

test.each(clauses.map((clause) => [clause('dark').slice(0, 2).join(' '), clause] as const))(
  'a dark table is as good as none: %s',
  async (_name, clause) => {
    for (const who of ['anon', 'user'] as const) {
      const dark = await ask(who, clause('dark'));
      const none = await ask(who, clause('dusk'));
      expect(dark.status).toBeGreaterThanOrEqual(400);
      expect({ ...dark, text: dark.text.replaceAll('dark', 'dusk') }).toEqual(none);
      expect(dark.text).not.toContain(secret);
    }
    expect(await project.sql('select id from near')).toEqual([{ id: 1 }]);
  },
);

test.each([
  ['the name of a column that refers to it', 'near?select=id,dark_id(word)', 'near?select=id,id(word)'],
  ['the name of a constraint', 'apart?select=id,apart_to_dark(word)', 'apart?select=id,apart_pkey(word)'],
  ['a hint', 'near?select=id,far!near_dark_id_fkey(id)', 'near?select=id,far!near_pkey(id)'],
  ['a table between two others', 'near?select=id,far!through(id)', 'near?select=id,far!near_pkey(id)'],
  ['two others, with a dark table between them', 'near?select=id,far(id)', 'near?select=id,apart(id)'],
])('nothing leads to a dark table by %s', async (_way, path, other) => {
  for (const who of ['anon', 'user'] as const) {
    const [found, none] = [await ask(who, ['GET', path]), await ask(who, ['GET', other])];
    expect([found.status, JSON.parse(found.text).code]).toEqual([400, 'PGRST200']);
    expect([none.status, JSON.parse(none.text).code]).toEqual([400, 'PGRST200']);
    expect(JSON.parse(found.text).hint).toBeNull();
  }
});

test.each([
  'dark',
  'dark?select=word',
  'dark?select=nosuch',
  'dark?select=word::int,id.sum()',
  'dark?select=far(id)',
  'dark?select=near(id),nosuch(id)',
  'dark?id=eq.none',
  'dark?nosuch=eq.1',
  'dark?or=(id.eq.1,nosuch.eq.2)',
  'dark?order=nosuch',
  'dark?order=far(id)',
])('of itself a dark table tells that it is not exposed, and the same whatever is asked: %s', async (path) => {
  const plain = await ask('anon', ['GET', 'dark']);
  const asked = await ask('anon', ['GET', path]);
  const told = ({ text }: { text: string }) => ({ ...JSON.parse(text), trace_id: null, request_id: null });
  expect([asked.status, told(asked)]).toEqual([403, told(plain)]);
  expect(told(asked)).toMatchObject({ code: 'TABLE_NOT_EXPOSED' });
  const signedIn = await ask('user', ['GET', path]);
  expect([signedIn.status, JSON.parse(signedIn.text)]).toEqual([
    403,
    { code: '42501', message: 'permission denied for table dark', details: null, hint: null },
  ]);
});

test.each([
  ['POST', 'dark', { body: { nosuch: 1 } }],
  ['POST', 'dark', { body: { id: 'none' } }],
  ['POST', 'dark?columns=nosuch', { body: { id: 1 } }],
  ['POST', 'dark?on_conflict=nosuch', { body: { id: 1 }, headers: { prefer: 'resolution=ignore-duplicates' } }],
  ['POST', 'dark', { body: [{ id: 1 }, { word: 'x' }] }],
  ['PATCH', 'dark?nosuch=eq.1', { body: { nosuch: 1 } }],
  ['PATCH', 'dark', { body: { word: 'x' } }],
  ['PUT', 'dark?word=eq.x', { body: { word: 'x' } }],
  ['DELETE', 'dark?nosuch=eq.1', {}],
  ['DELETE', 'dark', {}],
] as const)('and whatever is to be changed in it: %s %s', async (method, path, options) => {
  const { status, text } = await ask('anon', [method, path, options as CallOptions]);
  expect([status, JSON.parse(text)]).toMatchObject([403, { code: 'TABLE_NOT_EXPOSED' }]);
  const signedIn = await ask('user', [method, path, options as CallOptions]);
  expect([signedIn.status, JSON.parse(signedIn.text).code]).toEqual([403, '42501']);
});

test('once it is exposed all of it is found at once, and lost again with the next manifest', async () => {
  const paths = ['near?select=id,dark(word)', 'far?select=id,dark(word)', 'dark?select=word'];
  for (let round = 0; round < 2; round++) {
    expect((await project.expose(lightManifest)).status).toBe(200);
    for (const path of paths) {
      const { status, text } = await ask('anon', ['GET', path]);
      expect(status, text).toBe(200);
      expect(text).toContain(secret);
    }
    expect((await project.expose(manifest)).status).toBe(200);
    for (const path of paths) expect((await ask('anon', ['GET', path])).status).toBeGreaterThanOrEqual(400);
  }
});
