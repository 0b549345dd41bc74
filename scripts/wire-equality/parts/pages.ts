import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../exchange.ts';
import { http } from '../http.ts';
import { everyMember, namedSample, takesAway } from '../samples.ts';
import type { Caller, Side } from '../side.ts';
import { newWorld } from '../world.ts';

const literal = /['"`]((?:\/|\$\{(?:plane|operator)\}\/)[\w.:{}$/-]*)['"`]/g;
/** What a template in a source may begin with. */
const prefixes: Readonly<Record<string, string>> = {
  '${plane}': '/agent/v1/control-plane',
  '${operator}': '/agent/v1/operator',
};
const folders = ['server', 'rest-compat', 'clients/sdk/src', 'clients/cli/src', 'clients/console/src/api'];
/** Paths that go on for as long as a client listens. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'] as const;

/** Every path that a source of either build names, documented or not: moved code still has to answer them. */
function namedPaths(sides: readonly Side[]): readonly string[] {
  const paths = new Set<string>(['/']);
  for (const { checkout } of sides)
    for (const folder of checkout === undefined ? [] : folders)
      for (const file of sourcesBelow(join(checkout!, folder)))
        for (const [, found] of readFileSync(file, 'utf8').matchAll(literal)) {
          let path = found!;
          for (const [begin, full] of Object.entries(prefixes)) path = path.replace(begin, full);
          if (path.startsWith('/') && !path.startsWith('//') && !path.includes('$') && !/\.tsx?$/.test(path))
            paths.add(path);
        }
  return [...paths].toSorted();
}

function sourcesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** A path with templates for its parameters, as `:id` or `{id}`. */
const filled = (path: string): string =>
  path.replaceAll(/:(\w+)|\{(\w+)\}/g, (_all, one?: string, other?: string) =>
    String(namedSample((one ?? other)!, path) ?? 'text'),
  );

/** Every path that is named anywhere, by every method, as JSON and as a page, at the gateway and at a project's host. */
export function* pagesPart(sides: readonly Side[]): Iterable<Exchange> {
  const paths = namedPaths(sides).filter((path) => !/^\/(metrics|live|_svc\/live)/.test(path));
  yield* newWorld(sides);
  for (const path of paths) {
    const group = `path ${path}`;
    for (const method of methods) yield http({ group, name: 'as nobody', method, path: filled(path) });
    yield http({ group, name: 'as a page', method: 'GET', path: filled(path), headers: { accept: 'text/html' } });
  }
  yield* withBodies(paths);
  yield* rows();
  yield* odd();
}

/** Paths that no document describes get a body with every member, from everyone who might be let in. */
function* withBodies(paths: readonly string[]): Iterable<Exchange> {
  const undescribed = paths.filter((path) => /^\/(auth|agent|internal|_svc)\//.test(path));
  const ordered = [...undescribed.filter((path) => !takesAway(path)), ...undescribed.filter(takesAway)];
  for (const path of ordered)
    for (const as of [
      'nobody',
      'anon key',
      'service key',
      'user',
      'person',
      'owner',
    ] as const satisfies readonly Caller[]) {
      const group = `path ${path}`;
      yield http({ group, name: `as ${as}`, as, method: 'GET', path: filled(path) });
      yield http({
        group,
        name: `as ${as}, every member`,
        as,
        method: 'POST',
        path: filled(path),
        body: everyMember(path),
      });
    }
  for (const path of undescribed) {
    const host = { host: 'p-{{publicId}}.localhost', origin: 'http://p-{{publicId}}.localhost' };
    const group = `host ${path}`;
    yield http({ group, name: 'fetched', method: 'GET', path: filled(path), headers: host });
    yield http({
      group,
      name: 'as a page',
      method: 'GET',
      path: filled(path),
      headers: { ...host, accept: 'text/html' },
    });
    yield http({ group, name: 'sent', method: 'POST', path: filled(path), headers: host, body: everyMember(path) });
    const form = { ...host, 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    yield http({
      group,
      name: 'a form',
      method: 'POST',
      path: filled(path),
      headers: form,
      body: 'email=form%40example.com&code=1',
    });
  }
}

/** Rows of the project's tables, as PostgREST serves them. */
function* rows(): Iterable<Exchange> {
  const searches = [
    '',
    '?select=id,body',
    '?select=id,tasks(id,done)',
    '?id=eq.1',
    '?id=in.(1,2)&order=id.desc',
    '?order=stars.desc&limit=2',
    '?body=ilike.*note*',
    '?or=(id.eq.1,stars.gt.3)',
    '?select=count()',
    '?no=eq.1',
    '?id=eq.x',
    '?limit=-1',
    '?select=',
    '?id=not.is.null&offset=1',
    '?select=stars.sum()',
  ];
  for (const [prefix, callers] of [
    ['/rest/v1', ['nobody', 'anon key', 'user', 'a wrong key']],
    ['/admin/v1/rest', ['anon key', 'service key', 'owner']],
  ] as const)
    for (const as of callers)
      for (const table of ['notes', 'tasks', 'no_such', '']) {
        const group = `rows ${prefix}/${table}`;
        const path = `${prefix}/${table}`;
        for (const search of table === 'notes' || table === 'tasks' ? searches : [''])
          yield http({ group, name: `as ${as}`, as, method: 'GET', path: path + search });
        const prefer = { prefer: 'return=representation,count=exact' };
        yield http({
          group,
          name: `as ${as}`,
          as,
          method: 'POST',
          path,
          headers: prefer,
          body: { body: 'New', stars: 7 },
        });
        yield http({
          group,
          name: `as ${as}`,
          as,
          method: 'POST',
          path,
          headers: { prefer: 'resolution=merge-duplicates' },
          body: [
            { id: 2, stars: 8 },
            { id: 3, stars: 9 },
          ],
        });
        yield http({
          group,
          name: `as ${as}`,
          as,
          method: 'PATCH',
          path: `${path}?id=eq.1`,
          headers: prefer,
          body: { stars: 1 },
        });
        yield http({ group, name: `as ${as}, everything`, as, method: 'PATCH', path, body: { stars: 2 } });
        yield http({ group, name: `as ${as}, csv`, as, method: 'GET', path, headers: { accept: 'text/csv' } });
        yield http({
          group,
          name: `as ${as}, one`,
          as,
          method: 'GET',
          path: `${path}?limit=1`,
          headers: { accept: 'application/vnd.pgrst.object+json', range: '0-0' },
        });
        for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE'])
          yield http({ group, name: `as ${as}`, as, method, path: `${path}?id=eq.5`, headers: prefer });
        yield http({ group, name: `as ${as}`, as, method: 'POST', path: `${prefix}/rpc/add`, body: { a: 1, b: 2 } });
        yield http({ group, name: `as ${as}`, as, method: 'GET', path: `${prefix}/rpc/add?a=1&b=x` });
      }
}

/** What is wrong about a request rather than about its path. */
function* odd(): Iterable<Exchange> {
  const group = 'odd requests';
  for (const path of [
    '//',
    '/orgs//v1',
    '/orgs/v1/',
    '/ORGS/v1',
    '/orgs/v1/..',
    '/orgs/v1?a=%ff',
    `/${'x'.repeat(9_000)}`,
    '/%00',
    '/orgs/v1/%2e%2e',
    '/console/../x',
    '/no/such',
    '/console/no-such.js',
  ])
    for (const method of ['GET', 'POST']) yield http({ group, name: path.slice(0, 30), method, path });
  for (const headers of [
    { host: 'evil.example' },
    { host: 'p-nothing.localhost' },
    { authorization: 'Basic eDp5' },
    { authorization: 'Bearer' },
    { 'sign-in-with-x': 'x' },
    { 'sign-in-with-x': 'e30=' },
    { apikey: '' },
    { origin: 'https://evil.example' },
    { 'x-admin-key': 'wrong' },
    { expect: '100-continue' },
    { upgrade: 'h2c' },
    { 'content-type': 'text/plain' },
    { 'idempotency-key': 'x'.repeat(300) },
    { accept: 'image/png' },
    { 'accept-encoding': 'gzip' },
  ] satisfies Record<string, string>[])
    for (const [method, path] of [
      ['GET', '/agent/v1/whoami'],
      ['POST', '/orgs/v1'],
      ['OPTIONS', '/orgs/v1'],
    ] as const)
      yield http({
        group,
        name: JSON.stringify(headers).slice(0, 60),
        method,
        path,
        headers,
        ...(method === 'POST' ? { body: {} } : {}),
      });
}
