import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { prefer, rowsProject } from './rows-project.ts';

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table items (id int primary key, name text, kind int);
   create table kinds (id int primary key, label text);
   alter table items add foreign key (kind) references kinds;
   insert into kinds values (1, 'small'), (2, 'large');
   insert into items values (1, 'a', 1), (2, 'b', 2), (3, 'c', 1);
   create function add(a int, b int default 10) returns int language sql immutable as 'select a + b';
   create function items_of(kind int) returns setof items language sql stable as 'select * from items i where i.kind = $1';
   create function first_item() returns items language sql stable as 'select * from items order by id limit 1';
   create function pairs() returns table (x int, y text) language sql stable as $$ values (1, 'one'), (2, 'two') $$;
   create function outs(out x int, out y text) language sql stable as $$ select 1, 'one' $$;
   create function numbers(variadic n int[]) returns setof int language sql stable as 'select unnest(n) * 2';
   create function rename(wanted int, name text) returns void language sql as 'update items set name = $2 where id = $1';
   create function whole(json) returns json language sql stable as 'select $1';
   create function plain(text) returns text language sql stable as 'select upper($1)';
   create function bytes(bytea) returns int language sql stable as 'select length($1)';
   create function same(a int) returns text language sql stable as $$ select 'int' $$;
   create function same(a text) returns text language sql stable as $$ select 'text' $$;
   create function over(a int) returns text language sql stable as $$ select 'one' $$;
   create function over(a int, b int) returns text language sql stable as $$ select 'two' $$;
   create function listed(xs int[], doc jsonb) returns jsonb language sql stable as 'select jsonb_build_array(to_jsonb(xs), doc)';
   create function seen() returns jsonb language sql stable as $$ select jsonb_build_object(
     'role', current_user, 'claims', current_setting('request.jwt.claims')::json, 'method', current_setting('request.method'),
     'path', current_setting('request.path'), 'headers', current_setting('request.headers')::json, 'uid', auth.uid()) $$;
   create function answer() returns text language plpgsql as $$ begin
     perform set_config('response.status', '418', true);
     perform set_config('response.headers', '[{"X-Tea": "pot"}, {"Set-Cookie": "a=b"}, {"X-Svc-Trace-Id": "mine"}]', true);
     return 'tea'; end $$;
   create function refuse(detail text) returns int language plpgsql as $$ begin
     raise sqlstate 'PGRST' using message = '{"code": "T1", "message": "no"}', detail = detail; end $$;
   create table said (setting text, value text);
   create function say(setting text, value text) returns int language plpgsql as $$ begin
     insert into said values (setting, value); return 1; end $$;
   create function heard() returns trigger language plpgsql as $$ begin
     perform set_config(new.setting, new.value, true); return new; end $$;
   create trigger heard before insert on said for each row execute function heard();`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { admin } = project;
const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const answer = await admin(method, `rpc/${path}`, { ...(body === undefined ? {} : { body }), headers });
  return answer.status === 200 ? answer.body : { status: answer.status, body: answer.body };
};

test.each([
  ['a plain value', 'add', { a: 1, b: 2 }, 3],
  ['a default', 'add', { a: 1 }, 11],
  [
    'rows of a table',
    'items_of',
    { kind: 1 },
    [
      { id: 1, name: 'a', kind: 1 },
      { id: 3, name: 'c', kind: 1 },
    ],
  ],
  ['one row', 'first_item', {}, { id: 1, name: 'a', kind: 1 }],
  [
    'rows of their own',
    'pairs',
    {},
    [
      { x: 1, y: 'one' },
      { x: 2, y: 'two' },
    ],
  ],
  ['several outputs', 'outs', {}, { x: 1, y: 'one' }],
  ['a list', 'numbers', { n: [1, 2] }, [2, 4]],
  ['arrays and documents', 'listed', { xs: [1, 2], doc: { a: [null] } }, [[1, 2], { a: [null] }]],
  ['the overload with these arguments', 'over', { a: 1, b: 2 }, 'two'],
  ['the whole body', 'whole', { a: { b: 1 } }, { a: { b: 1 } }],
])('POST: %s', async (_case, name, body, expected) => {
  expect(await call('POST', name, body)).toEqual(expected);
});

test.each([
  ['a plain value', 'add?a=1&b=2', 3],
  ['rows, filtered and selected', 'items_of?kind=1&id=gt.1&select=name', [{ name: 'c' }]],
  ['rows with what is embedded', 'items_of?kind=2&select=id,kinds(label)', [{ id: 2, kinds: { label: 'large' } }]],
  ['rows in order, a page of them', 'items_of?kind=1&order=id.desc&limit=1', [{ id: 3, name: 'c', kind: 1 }]],
  ['an argument given several times', 'numbers?n=1&n=2', [2, 4]],
  ['an array', 'listed?xs={1,2}&doc={"a":1}', [[1, 2], { a: 1 }]],
  ['an aggregate', 'pairs?select=x.sum()', [{ sum: 3 }]],
])('GET: %s', async (_case, path, expected) => {
  expect(await call('GET', path)).toEqual(expected);
});

test('a function without a result is 204, and what it changes is kept', async () => {
  expect(await call('POST', 'rename', { wanted: 1, name: 'A' })).toEqual({ status: 204, body: undefined });
  expect((await admin('GET', 'items?id=eq.1&select=name')).body).toEqual([{ name: 'A' }]);
  await call('POST', 'rename', { wanted: 1, name: 'a' });
});

test('a function that may change something is not run by GET', async () => {
  expect(await call('GET', 'rename?wanted=1&name=B')).toMatchObject({ status: 405, body: { code: '25006' } });
  expect((await admin('GET', 'items?id=eq.1&select=name')).body).toEqual([{ name: 'a' }]);
});

test('a body that is no JSON goes to a function that takes it as it is', async () => {
  expect(await call('POST', 'plain', 'quiet', { 'content-type': 'text/plain' })).toBe('QUIET');
  expect(await call('POST', 'bytes', new Uint8Array([0, 255, 1]), { 'content-type': 'application/octet-stream' })).toBe(
    3,
  );
  expect(await call('POST', 'add', 'a=1&b=5', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(6);
  expect(await call('POST', 'add', 'text', { 'content-type': 'text/plain' })).toMatchObject({
    status: 404,
    body: { code: 'PGRST202' },
  });
});

test('functions are found by the names of their arguments, or are PGRST202 and PGRST203', async () => {
  expect(await call('POST', 'add', { a: 1, c: 2 })).toEqual({
    status: 404,
    body: {
      code: 'PGRST202',
      message: 'Could not find the function public.add(a, c) in the schema cache',
      details:
        'Searched for the function public.add with parameters a, c or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
      hint: 'Perhaps you meant to call the function public.add(a, b)',
    },
  });
  expect(await call('GET', 'addd?a=1')).toMatchObject({
    status: 404,
    body: { hint: 'Perhaps you meant to call the function public.add' },
  });
  expect(await call('POST', 'same', { a: 1 })).toMatchObject({
    status: 300,
    body: {
      code: 'PGRST203',
      message:
        'Could not choose the best candidate function between: public.same(a => integer), public.same(a => text)',
    },
  });
});

test('rows of a function are counted, and one of them comes as an object', async () => {
  const counted = await admin('GET', 'rpc/items_of?kind=1&limit=1', prefer('count=exact'));
  expect([counted.status, counted.headers.get('content-range')]).toEqual([206, '0-0/2']);
  const object = { accept: 'application/vnd.pgrst.object+json' };
  expect(await call('GET', 'items_of?kind=2', undefined, object)).toEqual({ id: 2, name: 'b', kind: 2 });
  expect(await call('GET', 'items_of?kind=1', undefined, object)).toMatchObject({
    status: 406,
    body: { code: 'PGRST116' },
  });
  expect(await call('POST', 'items_of', { kind: 1 }, { prefer: 'handling=strict, max-affected=1' })).toMatchObject({
    status: 400,
    body: { code: 'PGRST124' },
  });
  expect(await call('POST', 'add', { a: 1 }, { prefer: 'handling=strict, max-affected=1' })).toMatchObject({
    status: 400,
    body: { code: 'PGRST128' },
  });
});

test('what is asked of plain values is asked of them, and not passed over', async () => {
  expect(await call('GET', 'numbers?n=1&n=2&limit=1&offset=1')).toEqual([4]);
  expect(await call('GET', 'numbers?n=1&n=2&n=3&pgrst_scalar=gt.2&order=pgrst_scalar.desc')).toEqual([6, 4]);
  const csv = await admin('GET', 'rpc/numbers?n=1&n=2', { headers: { accept: 'text/csv' } });
  expect(csv.text).toBe('pgrst_scalar\n2\n4');
  for (const asked of ['select=x', 'numbers=gt.2', 'order=numbers.desc', 'or=(x.eq.1,y.eq.2)'])
    expect(await call('GET', `numbers?n=1&n=2&${asked}`)).toMatchObject({ status: 400, body: { code: '42703' } });
  expect(await call('GET', 'add?a=1&select=x')).toMatchObject({ status: 400, body: { code: '42703' } });
  expect(await call('GET', 'add?a=1&select=*,items(id)')).toMatchObject({ status: 400, body: { code: 'PGRST200' } });
});

test('arguments of a call with a body stand in the body, and nowhere else', async () => {
  expect(await call('POST', 'items_of?kind=1', {})).toMatchObject({ status: 400, body: { code: 'PGRST100' } });
  expect(await call('POST', 'items_of?kind=eq.1&select=id&order=id', { kind: 1 })).toEqual([{ id: 1 }, { id: 3 }]);
});

test('methods that functions do not know are refused in the dialect, with those they do', async () => {
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const answer = await admin(method, 'rpc/add', { body: { a: 1 } });
    expect(answer).toMatchObject({ status: 405, body: { code: 'PGRST101' } });
    expect(answer.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
  }
});

test('SQL sees who asks and how, and no credential', async () => {
  const headers = { 'x-mine': 'yes', cookie: 'session=1', authorization: `Bearer ${project.serviceKey}` };
  const seen = await call('GET', 'seen?', undefined, headers);
  expect(seen).toMatchObject({
    role: 'service_role',
    claims: { role: 'service_role', project_id: project.projectId },
    method: 'GET',
    path: '/admin/v1/rest/rpc/seen',
    headers: { 'x-mine': 'yes' },
    uid: null,
  });
  expect(JSON.stringify(seen)).not.toContain(project.serviceKey);
  expect(JSON.stringify(seen)).not.toContain('session=1');
});

test('a function sets the status and harmless headers of its answer, and no others', async () => {
  const { status, body, headers } = await admin('POST', 'rpc/answer', { body: {} });
  expect([status, body, headers.get('x-tea'), headers.get('set-cookie')]).toEqual([418, 'tea', 'pot', null]);
  expect(headers.get('x-svc-trace-id')).toMatch(/^trc_/);
});

// A proxy takes some of these as orders, a browser others; and the gateway sets some itself.
test.each([
  ...[
    'X-Accel-Redirect',
    'x-accel-expires',
    'X-Accel-Buffering',
    'X-Sendfile',
    'X-LiteSpeed-Location',
    'X-LSADC-Cache-Control',
    'X-Middleware-Rewrite',
    'X-Do-ESI',
    'X-ESI',
    'X-Reproxy-URL',
    'X-Archive-Files',
  ],
  ...[
    'X-Content-Type-Options',
    'X-Frame-Options',
    'X-XSS-Protection',
    'X-Forwarded-Host',
    'X-Real-IP',
    'X-Cache-Status',
  ],
  ...['X-Payment-Response', 'Payment-Response', 'X-Svc-Error-Code', 'X-Request-Id', 'Content-Security-Policy', 'NEL'],
  ...[
    'Strict-Transport-Security',
    'Access-Control-Allow-Origin',
    'Set-Cookie',
    'Clear-Site-Data',
    'Alt-Svc',
    'Refresh',
  ],
  ...[
    'Report-To',
    'Service-Worker-Allowed',
    'Cache-Control',
    'Vary',
    'Location',
    'Www-Authenticate',
    'Content-Encoding',
  ],
])('a function does not set %s, neither in an answer nor in a refusal', async (name) => {
  const { headers: plain } = await admin('POST', 'rpc/say', { body: { setting: 'response.headers', value: '[]' } });
  const value = JSON.stringify([{ [name]: 'https://elsewhere.example/' }, { 'X-Total-Count': '7' }]);
  const said = await admin('POST', 'rpc/say', { body: { setting: 'response.headers', value } });
  expect([said.status, said.headers.get(name), said.headers.get('x-total-count')]).toEqual([200, plain.get(name), '7']);
  const detail = JSON.stringify({
    status: 418,
    headers: { [name]: 'https://elsewhere.example/', 'X-Total-Count': '7' },
  });
  const refused = await admin('POST', 'rpc/refuse', { body: { detail } });
  expect([refused.status, refused.headers.get('x-total-count')]).toEqual([418, '7']);
  expect(refused.headers.get(name) ?? '').not.toContain('elsewhere.example');
});

test('a link is set unless a proxy or a browser fetches what it names', async () => {
  const link = async (value: string) => {
    const body = { setting: 'response.headers', value: JSON.stringify([{ Link: value }]) };
    return (await admin('POST', 'rpc/say', { body })).headers.get('link');
  };
  expect(await link('</rest/v1/items?offset=10>; rel="next"')).toBe('</rest/v1/items?offset=10>; rel="next"');
  expect(await link('</notes>; rel=related; title="a \\"plain\\" one"')).toBe(
    '</notes>; rel=related; title="a \\"plain\\" one"',
  );
  expect(await link('</internal/secret>; rel="Preload"; as=fetch')).toBeNull();
  // A backslash in a quoted string stands for the character behind it.
  expect(await link('</internal/secret>; rel="pre\\load"; as=fetch')).toBeNull();
  expect(await link('</dictionary>; rel="compression-dictionary"')).toBeNull();
});

test.each([
  ['headers that are no JSON', 'response.headers', 'nonsense', 'PGRST111'],
  ['headers that are no list', 'response.headers', '{"x-a": "b"}', 'PGRST111'],
  ['headers with two members', 'response.headers', '[{"x-a": "b", "x-c": "d"}]', 'PGRST111'],
  ['headers without a member', 'response.headers', '[{}]', 'PGRST111'],
  ['headers that are no text', 'response.headers', '[{"x-a": "b"}, {"x-a": 1}]', 'PGRST111'],
  ['headers with an escape that is none', 'response.headers', String.raw`[{"x-a": "\x"}]`, 'PGRST111'],
  ['headers over a line', 'response.headers', '[{"x-a": "\n"}]', 'PGRST111'],
  ['headers that no client would read', 'response.headers', `[{"x-a": "${'x'.repeat(9_000)}"}]`, 'PGRST111'],
  ['a status that is no number', 'response.status', 'fine', 'PGRST112'],
  ['a status that is none', 'response.status', '900', 'PGRST112'],
  ['a status over a line', 'response.status', '200\n', 'PGRST112'],
])('%s are refused by name, and nothing of the request is kept', async (_case, setting, value, code) => {
  await project.sql('truncate said');
  const refusal = { status: 500, body: { code } };
  expect(await call('POST', 'say', { setting, value })).toMatchObject(refusal);
  expect(await admin('POST', 'said', { body: { setting, value } })).toMatchObject(refusal);
  expect(await project.sql('select from said')).toHaveLength(0);
  // GraphQL has no such answer: what is said of it means nothing there.
  const body = {
    query: 'mutation ($setting: String, $value: String) { say(args: { setting: $setting, value: $value }) }',
  };
  const path = `/projects/v1/${project.projectId}/graphql`;
  const graph = await service.call(project.service, 'POST', path, { body: { ...body, variables: { setting, value } } });
  expect(graph.body).toMatchObject({ data: { say: 1 } });
});

test('headers are read as JSON is written', async () => {
  const value = ['[ {"X-One" : "a\\u0062\\"/\\\\" } ,', '\t{"x-two":"c"}, {"__proto__":"x"} ] '].join('\r\n');
  const { status, headers } = await admin('POST', 'rpc/say', { body: { setting: 'response.headers', value } });
  expect([status, headers.get('x-one'), headers.get('x-two')]).toEqual([200, 'ab"/\\', 'c']);
  expect((await admin('POST', 'rpc/say', { body: { setting: 'response.headers', value: '[]' } })).status).toBe(200);
});
