import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookupPaths, notFoundPage, resolve } from '../../../engines/hosting/resolve.ts';
import { hosted } from './hosted.ts';

const toFunction = (name: string) => ({ type: 'function', name });
const toFile = (file: string) => ({ type: 'static', file });

const site = hosted({
  site: ['index.html', 'app.js', 'about.html', 'docs/index.html', 'docs/a.html', 'login.html', 'v1.2/notes.html'],
  routes: [
    { pattern: '/api/*', target: toFunction('api') },
    { pattern: '/api/v2/*', methods: ['GET'], target: toFunction('v2') },
    { pattern: '/api/health', methods: ['GET'], target: toFunction('health') },
    { pattern: '/login', methods: ['POST'], target: toFunction('login') },
    { pattern: '/submit', methods: ['POST', 'PUT'], target: toFunction('submit') },
    { pattern: '/admin/*', target: toFunction('admin') },
    { pattern: '/help', target: toFile('docs/a.html') },
    { pattern: '/caf%C3%A9', methods: ['GET'], target: toFile('about.html') },
  ],
});

const seen = (method: string, path: string, of = site) => {
  const { match, status, route, functionName, file, allow } = resolve(of, method, path);
  const target = functionName ?? file?.assetPath ?? null;
  return [match, status, route?.pattern ?? null, target, ...(allow === null ? [] : [allow.join(' ')])];
};

test.each([
  // Files by name, by folder, and without their extension.
  ['GET', '/', 'static_index', 200, null, 'index.html'],
  ['GET', '/index.html', 'static_exact', 200, null, 'index.html'],
  ['HEAD', '/app.js', 'static_exact', 200, null, 'app.js'],
  ['GET', '/about', 'static_exact', 200, null, 'about.html'],
  ['GET', '/about.html', 'static_exact', 200, null, 'about.html'],
  ['GET', '/docs/', 'static_index', 200, null, 'docs/index.html'],
  ['GET', '/v1.2/notes', 'static_exact', 200, null, 'v1.2/notes.html'],
  ['GET', '/docs', 'static_index', 308, null, 'docs/index.html'],
  ['POST', '/docs', 'static_exact', 405, null, 'docs/index.html', 'GET HEAD'],
  // Exact routes come first, then the longest prefix; the first that matches decides alone.
  ['GET', '/api/health', 'route_function', 200, '/api/health', 'health'],
  ['GET', '/api/health/', 'route_function', 200, '/api/health', 'health'],
  ['POST', '/api/health', 'route_method_miss', 405, '/api/health', null, 'GET HEAD'],
  ['GET', '/api/v2/x', 'route_function', 200, '/api/v2/*', 'v2'],
  ['HEAD', '/api/v2/x', 'route_function', 200, '/api/v2/*', 'v2'],
  ['DELETE', '/api/v2/x', 'route_method_miss', 405, '/api/v2/*', null, 'GET HEAD'],
  ['GET', '/api/', 'spa_fallback', 200, null, 'index.html'],
  // A prefix matches neither itself nor its neighbours.
  ['GET', '/admin/x', 'route_function', 200, '/admin/*', 'admin'],
  ['GET', '/admin', 'spa_fallback', 200, null, 'index.html'],
  ['GET', '/admin/', 'spa_fallback', 200, null, 'index.html'],
  ['GET', '/administrator', 'spa_fallback', 200, null, 'index.html'],
  ['GET', '/admin.css', 'none', 404, null, null],
  // Aliases.
  ['GET', '/help', 'route_static_alias', 200, '/help', 'docs/a.html'],
  ['HEAD', '/help/', 'route_static_alias', 200, '/help', 'docs/a.html'],
  ['GET', '/caf%C3%A9', 'route_static_alias', 200, '/caf%C3%A9', 'about.html'],
  ['GET', '/cafe%CC%81', 'route_static_alias', 200, '/caf%C3%A9', 'about.html'],
  ['POST', '/help', 'route_method_miss', 405, '/help', null, 'GET HEAD'],
  // A route for other methods leaves GET to a file, and to nothing else.
  ['GET', '/login', 'static_exact', 200, null, 'login.html'],
  ['HEAD', '/login', 'static_exact', 200, null, 'login.html'],
  ['POST', '/login', 'route_function', 200, '/login', 'login'],
  ['DELETE', '/login', 'route_method_miss', 405, '/login', null, 'GET HEAD POST'],
  ['GET', '/submit', 'route_method_miss', 405, '/submit', null, 'POST PUT'],
  // Files are only read.
  ['POST', '/app.js', 'static_exact', 405, null, 'app.js', 'GET HEAD'],
  ['OPTIONS', '/about', 'static_exact', 405, null, 'about.html', 'GET HEAD'],
  ['POST', '/nowhere', 'none', 404, null, null],
  // Pages that the browser makes; no page in the place of a script.
  ['GET', '/users/42', 'spa_fallback', 200, null, 'index.html'],
  ['GET', '/users/john.doe', 'spa_fallback', 200, null, 'index.html'],
  ['GET', '/missing.js', 'none', 404, null, null],
  ['GET', '/img/missing.png', 'none', 404, null, null],
  ['GET', '/missing.html', 'spa_fallback', 200, null, 'index.html'],
  // The platform's own paths are matched before, and never reach the site.
  ['GET', '/_svc/nothing', 'none', 404, null, null],
  ['POST', '/_svc', 'none', 404, null, null],
  ['GET', '/%5Fsvc/config.js', 'none', 404, null, null],
  // What is no path.
  ['GET', '/a/../b', 'path_error', 400, null, null],
  ['POST', '/_cas/x', 'path_error', 400, null, null],
] as const)('%s %s is %s, %i', (method, path, match, status, pattern, target, ...allow) => {
  expect(seen(method, path)).toEqual([match, status, pattern, target, ...allow]);
});

test('a folder is found where its links are meant from', () => {
  expect(resolve(site, 'GET', '/docs')).toMatchObject({ status: 308, location: '/docs/' });
  expect(resolve(site, 'GET', '/docs/').location).toBeNull();
});

test('an alias at the root serves its file there, and unmatched pages go on being the browser’s', () => {
  const aliased = hosted({
    site: ['index.html', 'landing.html'],
    routes: [{ pattern: '/', target: toFile('landing.html') }],
  });
  expect(seen('GET', '/', aliased)).toEqual(['route_static_alias', 200, '/', 'landing.html']);
  expect(seen('GET', '/any', aliased)).toEqual(['spa_fallback', 200, null, 'index.html']);
  expect(seen('GET', '/index.html', aliased)).toEqual(['static_exact', 200, null, 'index.html']);
});

test('a table of public paths is all there is: files have no other names, and nothing answers for the rest', () => {
  const tabled = hosted({
    site: ['index.html', 'a.html', 'secret.txt'],
    publicPaths: { mode: 'explicit', replace: { '/a': { asset: 'a.html' }, '/x/': { asset: 'index.html' } } },
    routes: [{ pattern: '/b', target: toFile('secret.txt') }],
  });
  expect(seen('GET', '/a', tabled)).toEqual(['static_exact', 200, null, 'a.html']);
  expect(seen('GET', '/x/', tabled)).toEqual(['static_index', 200, null, 'index.html']);
  expect(seen('GET', '/b', tabled)).toEqual(['route_static_alias', 200, '/b', 'secret.txt']);
  for (const path of ['/', '/index.html', '/a.html', '/a/', '/x', '/secret.txt', '/b.html'])
    expect(seen('GET', path, tabled)).toEqual(['none', 404, null, null]);
  expect(resolve(tabled, 'GET', '/').fallback).toBe('not_configured');
});

test('a function that renders pages answers what no file does, before the page of the browser, and to reading alone', () => {
  const rendered = hosted({ site: ['index.html', 'app.js'], ssr: 'render' });
  expect(seen('GET', '/app.js', rendered)).toEqual(['static_exact', 200, null, 'app.js']);
  expect(seen('GET', '/any', rendered)).toEqual(['route_function', 200, null, 'render']);
  expect(seen('GET', '/missing.js', rendered)).toEqual(['route_function', 200, null, 'render']);
  expect(seen('POST', '/any', rendered)).toEqual(['none', 404, null, null]);
});

test.each([
  ['GET', '/', 'authorized', 'not_used', null],
  ['GET', '/users/1', 'authorized', 'used', null],
  ['GET', '/missing.js', 'not_public', 'not_eligible', 'ROUTE_NOT_FOUND'],
  ['POST', '/nowhere', 'not_public', 'method_not_static', 'ROUTE_NOT_FOUND'],
  ['POST', '/', 'authorized', 'method_not_static', 'ROUTE_METHOD_NOT_ALLOWED'],
  ['GET', '/submit', 'not_applicable', 'not_eligible', 'ROUTE_METHOD_NOT_ALLOWED'],
  ['POST', '/submit', 'not_applicable', 'not_used', null],
  ['GET', '//', 'path_error', 'path_error', 'VALIDATION_FAILED'],
])('%s %s is explained', (method, path, authorization, fallback, error) => {
  expect(resolve(site, method, path)).toMatchObject({ authorization, fallback, error });
});

test('without a release nothing is there, and what is no path is said first', () => {
  expect(resolve(null, 'GET', '/')).toMatchObject({ match: 'active_release_missing', status: 404 });
  expect(resolve(null, 'GET', '/..')).toMatchObject({ match: 'path_error', status: 400, pathFault: 'dot_segment' });
});

test('a release whose table has lost a file says so', () => {
  const broken = { ...site, files: new Map() };
  expect(resolve(broken, 'GET', '/help')).toMatchObject({ match: 'route_static_alias', status: 503 });
  expect(resolve(broken, 'GET', '/any')).toMatchObject({ match: 'spa_fallback_missing', status: 404 });
});

test('every path that is looked up was announced, whatever is asked', () => {
  const word = fc.constantFrom('', 'index.html', 'about', 'docs', 'help', 'login', 'api', 'caf%C3%A9', '..', 'a.js');
  const asked = fc.array(word, { maxLength: 3 }).map((words) => `/${words.join('/')}`);
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS');
  fc.assert(
    fc.property(asked, method, fc.boolean(), (path, given, isExplicit) => {
      const lookups = new Set<string>();
      const release = {
        ...site,
        mode: isExplicit ? ('explicit' as const) : site.mode,
        files: {
          get(at: string) {
            lookups.add(at);
            return site.files.get(at);
          },
        },
      };
      const announced = lookupPaths(release, path);
      resolve(release, given, path);
      expect(announced).toEqual(expect.arrayContaining([...lookups]));
      if (announced.length > 0) expect(announced).toContain(notFoundPage);
    }),
  );
});
