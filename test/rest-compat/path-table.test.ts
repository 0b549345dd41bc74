import { expect, test } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { type PathEntry, PathTable } from '../../rest-compat/path-table.ts';

type Named = PathEntry & { readonly name?: string };

const table = (...entries: Named[]) => new PathTable<Named>(entries);
const found = (entries: PathTable<Named>, method: string, path: string) => {
  const { entry, params } = entries.match(method, path);
  return [entry.path, params];
};
const refusalOf = (entries: PathTable<Named>, method: string, path: string) => {
  try {
    entries.match(method, path);
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, allow: error.allow };
    throw error;
  }
  throw new Error('It was found.');
};

test('from left to right a literal comes before a parameter, and that before the rest of a path, in whatever order they are listed', () => {
  const entries: Named[] = [
    { method: 'GET', path: '/a/*' },
    { method: 'GET', path: '/a/:id' },
    { method: 'GET', path: '/a/:id/c' },
    { method: 'GET', path: '/a/b' },
    { method: 'GET', path: '/a/b/:id' },
  ];
  for (const listed of [entries, entries.toReversed()]) {
    const all = table(...listed);
    expect(found(all, 'GET', '/a/b')).toEqual(['/a/b', {}]);
    expect(found(all, 'GET', '/a/x')).toEqual(['/a/:id', { id: 'x' }]);
    expect(found(all, 'GET', '/a/b/c')).toEqual(['/a/b/:id', { id: 'c' }]);
    expect(found(all, 'GET', '/a/x/c')).toEqual(['/a/:id/c', { id: 'x' }]);
    expect(found(all, 'GET', '/a/x/y/z')).toEqual(['/a/*', { '*': 'x/y/z' }]);
  }
});

test.each<[string, Named, Named]>([
  ['the same path', { method: 'GET', path: '/a' }, { method: 'GET', path: '/a' }],
  ['paths that differ in the names of parameters', { method: 'GET', path: '/:a' }, { method: 'GET', path: '/:b' }],
  [
    'raw paths that differ in the names of parameters',
    { method: 'GET', path: '/:a', spelling: 'raw' },
    { method: 'PUT', path: '/:b', spelling: 'raw' },
  ],
  [
    'a path in two spellings',
    { method: 'GET', path: '/a', spelling: 'exact' },
    { method: 'GET', path: '/a', spelling: 'raw' },
  ],
  ['another method of an exact path', { method: 'GET', path: '/a', spelling: 'exact' }, { method: 'PUT', path: '/a' }],
  ['a path below a raw one', { method: 'GET', path: '/a/*', spelling: 'raw' }, { method: 'PUT', path: '/a/b/:id' }],
])('two entries are refused for %s, before anything is answered', (_case, one, other) => {
  for (const entries of [
    [one, other],
    [other, one],
  ])
    expect(() => table(...entries)).toThrow();
});

test('a method that a path does not answer is told which it does', () => {
  const all = table(
    { method: 'POST', path: '/a/:id' },
    { method: 'GET', path: '/a/:id' },
    { method: 'PUT', path: '/b' },
  );
  expect(refusalOf(all, 'PATCH', '/a/x')).toEqual({
    code: 'METHOD_NOT_ALLOWED',
    allow: ['GET', 'POST', 'HEAD', 'OPTIONS'],
  });
  expect(refusalOf(all, 'BREW', '/b')).toEqual({ code: 'METHOD_NOT_ALLOWED', allow: ['PUT', 'OPTIONS'] });
  expect(refusalOf(all, 'GET', '/c').code).toBe('ROUTE_NOT_FOUND');
});

test('HEAD is answered by what answers GET, unless that uses something up', () => {
  const all = table({ method: 'GET', path: '/a' }, { method: 'GET', path: '/once', singleUse: true });
  expect(found(all, 'HEAD', '/a')).toEqual(['/a', {}]);
  expect(refusalOf(all, 'HEAD', '/once')).toEqual({ code: 'METHOD_NOT_ALLOWED', allow: ['GET', 'OPTIONS'] });
});

test('escapes are resolved and a slash at the end makes no difference', () => {
  const all = table({ method: 'GET', path: '/rooms/:key' }, { method: 'GET', path: '/rooms' });
  expect(found(all, 'GET', '/r%6Foms/a%2Fb%20c/')).toEqual(['/rooms/:key', { key: 'a/b c' }]);
  expect(found(all, 'GET', '/rooms/')).toEqual(['/rooms', {}]);
  expect(refusalOf(all, 'GET', '/rooms//').code).toBe('ROUTE_NOT_FOUND');
  expect(refusalOf(all, 'GET', '/rooms/%zz').code).toBe('VALIDATION_FAILED');
  expect(refusalOf(all, 'GET', `/rooms/${'x'.repeat(1025)}`).code).toBe('ROUTE_NOT_FOUND');
});

test('an exact path is answered as it is spelt and not otherwise', () => {
  const all = table({ method: 'GET', path: '/graphql', spelling: 'exact' });
  expect(found(all, 'GET', '/graphql')).toEqual(['/graphql', {}]);
  for (const path of ['/graphql/', '/%67raphql', '/graphql#x', '/GRAPHQL'])
    expect(refusalOf(all, 'GET', path).code).toBe('ROUTE_NOT_FOUND');
});

test('a raw path hands on its parameters as they came, and its literals are not unescaped', () => {
  const all = table(
    { method: 'GET', path: '/rows/:table', spelling: 'raw' },
    { method: 'GET', path: '/files/*', spelling: 'raw' },
  );
  expect(found(all, 'GET', '/rows/a%2Fb/')).toEqual(['/rows/:table', { table: 'a%2Fb' }]);
  expect(found(all, 'GET', '/rows/%zz')).toEqual(['/rows/:table', { table: '%zz' }]);
  expect(found(all, 'GET', '/rows/a#b')).toEqual(['/rows/:table', { table: 'a#b' }]);
  expect(found(all, 'GET', `/rows/${'x'.repeat(5_000)}`)[0]).toBe('/rows/:table');
  expect(found(all, 'GET', '/files/')).toEqual(['/files/*', { '*': '' }]);
  expect(found(all, 'GET', '/files/..%2fx')).toEqual(['/files/*', { '*': '..%2fx' }]);
  expect(refusalOf(all, 'GET', '/r%6Fws/t').code).toBe('ROUTE_NOT_FOUND');
  expect(refusalOf(all, 'POST', '/rows/%zz').code).toBe('METHOD_NOT_ALLOWED');
});

test('an exact or raw path owns its methods: no other entry answers them', () => {
  const all = table(
    { method: 'GET', path: '/p/:id/:part' },
    { method: 'POST', path: '/p/:id/graphql', spelling: 'raw' },
    { method: 'GET', path: '/p/:id' },
    { method: 'PUT', path: '/p/mine', spelling: 'exact' },
  );
  expect(found(all, 'GET', '/p/x/rows')).toEqual(['/p/:id/:part', { id: 'x', part: 'rows' }]);
  expect(refusalOf(all, 'GET', '/p/x/graphql')).toMatchObject({
    code: 'METHOD_NOT_ALLOWED',
    allow: ['POST', 'OPTIONS'],
  });
  expect(refusalOf(all, 'GET', '/p/mine')).toMatchObject({ code: 'METHOD_NOT_ALLOWED', allow: ['PUT', 'OPTIONS'] });
  expect(found(all, 'GET', '/p/mine/')).toEqual(['/p/:id', { id: 'mine' }]);
});

test('a raw path allows one slash at the end, and no empty parameter', () => {
  const all = table(
    { method: 'GET', path: '/rows/:table', spelling: 'raw' },
    { method: 'GET', path: '/rows/rpc/:function', spelling: 'raw' },
    { method: 'GET', path: '/files/assets/*', spelling: 'raw' },
    { method: 'GET', path: '/files/*', spelling: 'raw' },
  );
  expect(found(all, 'GET', '/rows/rpc/f/')).toEqual(['/rows/rpc/:function', { function: 'f' }]);
  expect(found(all, 'GET', '/rows/rpc/')).toEqual(['/rows/:table', { table: 'rpc' }]);
  for (const path of ['/rows/', '/rows//', '/rows/t//', '/rows/rpc//'])
    expect(refusalOf(all, 'GET', path).code).toBe('ROUTE_NOT_FOUND');
  expect(found(all, 'GET', '/files/assets/')).toEqual(['/files/assets/*', { '*': '' }]);
  expect(found(all, 'GET', '/files/assets')).toEqual(['/files/*', { '*': 'assets' }]);
});

test('what is cut off by a # leads to no other entry than the path that was sent', () => {
  const all = table({ method: 'PATCH', path: '/p/:id' }, { method: 'GET', path: '/p/:id/graphql', spelling: 'raw' });
  expect(refusalOf(all, 'PATCH', '/p/x#y/graphql')).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  expect(found(all, 'GET', '/p/x#y/graphql')).toEqual(['/p/:id/graphql', { id: 'x#y' }]);
});

test('an entry for any method answers those that no other entry names', () => {
  const all = table({ method: '*', path: '/', spelling: 'exact' });
  for (const method of ['GET', 'HEAD', 'POST', 'BREW']) expect(found(all, method, '/')).toEqual(['/', {}]);
});
