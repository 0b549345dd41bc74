import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { type HostedProject, hostedProject } from '../hosted/hosted-project.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const service = await startService();
afterAll(() => service.stop());

const source = `
import { adminDb, assets, auth, db, email, events, functions, getSvcContext, getUser } from '@svc/functions';

const failure = ({ code, status, remoteCode, message }) => ({ code, status, remoteCode, message });
const tasks = {
  rows: async () => {
    const made = await adminDb().from('notes').insert([{ body: 'one' }, { body: 'two' }, { body: 'thr"ee' }]);
    const changed = await adminDb().from('notes').update({ body: 'TWO' }).eq('body', 'two').single();
    return {
      made: made.length,
      changed: changed.body,
      seen: await db().from('notes').select('body').in('body', ['one', 'thr"ee']).order('id', { ascending: false }),
      none: await db().from('notes').eq('body', 'absent').maybeSingle(),
      gone: (await adminDb().from('notes').delete().eq('body', 'one')).length,
      sql: (await adminDb().sql('select count(*)::int as n from notes where body = $1', ['TWO'])).rows,
      refused: await db().from('notes').insert({ body: 'as anybody' }).then(() => null, failure),
      several: await db().from('notes').single().catch(failure),
    };
  },
  user: async () => ({ ...auth.requireUser(), role: await auth.role({ from: { table: 'staff' } }) }),
  staff: async () => auth.requireRole(['editor'], { from: { table: 'staff' } }),
  gateless: async () => auth.requireRole('editor'),
  fresh: async () => auth.requireFresh({ maxAge: '1h' }),
  stale: async () => auth.requireFresh({ maxAge: 0, amr: 'passkey' }),
  form: () => auth.csrfField(),
  elsewhere: () => auth.fetch('https://example.com/'),
  membership: () => auth.requireMembership(),
  unknown: () => auth.currentUser(),
  retired: () => getUser(),
  event: () => events.emit('order_paid', { order: 7 }, { idempotencyKey: 'order-7' }),
  run: () => functions.runs.create('worker', { eventType: 'order.paid', idempotencyKey: 'order-7', payload: { order: 7 } }),
  mail: () => email.send({ to: 'ada@example.com', subject: 'Hello', html: '<p>Hello</p>' }),
  nowhere: () => email.send({ mailbox: 'absent', to: 'ada@example.com', subject: 'Hello', html: 'x' }).catch(failure),
  asset: async () => {
    const { key, size_bytes } = await assets.put('notes/a.txt', 'kept', { contentType: 'text/plain' });
    return { key, size_bytes, listed: (await assets.list({ prefix: 'notes/' })).blobs.map((one) => one.key) };
  },
  context: () => getSvcContext(),
};

export default async (request) => {
  const task = tasks[new URL(request.url).searchParams.get('task')];
  return Response.json((await task()) ?? null);
};`;

const worker = `
import { defineFunctionRuns, permanentRunError, retryableRunError } from '@svc/functions';
export default defineFunctionRuns({
  'order.paid': ({ payload, attempt }) => {
    if (attempt.number === 1) throw retryableRunError('not yet');
    return { order: payload.order };
  },
  'order.lost': () => {
    throw permanentRunError('there is no such order', 'ORDER_LOST');
  },
});`;

let project: HostedProject;
let key: ReturnType<typeof service.actors.bearer>;
beforeAll(async () => {
  project = await hostedProject(service);
  key = service.actors.bearer(project.serviceKey);
  const admin = `/projects/v1/admin/${project.projectId}`;
  const sql = `create table notes (id bigint generated always as identity primary key, body text);
    create table staff (user_id uuid primary key, role text)`;
  expect((await service.call(key, 'POST', `${admin}/sql`, { body: { sql } })).status).toBe(200);
  const notes = { name: 'notes', expose: true, policy: 'public_read_authenticated_write' };
  const exposed = await service.call<Any>(key, 'POST', `${admin}/expose`, {
    body: { version: 1, tables: [notes, { name: 'staff', expose: false }] },
  });
  expect(exposed).toMatchObject({ status: 200 });
  const spec = {
    functions: { replace: { api: { source: refOf(source) }, worker: { source: refOf(worker) } } },
    routes: { replace: [{ pattern: '/api', target: { type: 'function', name: 'api' } }] },
  };
  expect(await deploying(service, project.owner, project).deploy(spec, [source, worker])).toMatchObject({
    status: 'ready',
  });
});

async function task(
  name: string,
  { method = 'POST', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(`${service.url}/functions/v1/api?task=${name}`, {
    method,
    headers: { apikey: project.anonKey, ...headers },
  });
  return { status: answer.status, code: answer.headers.get('x-svc-error-code'), body: (await answer.json()) as Any };
}

test('rows are read as the caller sees them, and changed past row security', async () => {
  const { status, body } = await task('rows');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    made: 3,
    changed: 'TWO',
    seen: [{ body: 'thr"ee' }, { body: 'one' }],
    none: null,
    gone: 1,
    sql: [{ n: 1 }],
    refused: { code: 'SVC_DB_QUERY_ERROR', status: expect.toSatisfy((found) => [401, 403].includes(found)) },
    several: { code: 'SVC_DB_QUERY_ERROR', status: 406 },
  });
});

describe('who calls', () => {
  const signedIn = async () => {
    const { id, access_token: token } = await project.signedIn();
    return { id, headers: { authorization: `Bearer ${token}` } };
  };

  test('a user is known by their token, and has the role that a table tells', async () => {
    const { id, headers } = await signedIn();
    expect(await task('user')).toMatchObject({ status: 401, code: 'SVC_AUTH_REQUIRED' });
    expect(await task('user', { headers: { authorization: 'Bearer made.up.token' } })).toMatchObject({ status: 401 });
    expect(await task('user', { headers: { 'x-svc-user-id': id } })).toMatchObject({ status: 401 });
    expect(await task('user', { headers })).toMatchObject({ status: 200, body: { id, role: null } });
    expect(await task('staff', { headers })).toMatchObject({ status: 403, code: 'SVC_AUTH_INSUFFICIENT_ROLE' });
    const admin = `/projects/v1/admin/${project.projectId}/sql`;
    await service.call(key, 'POST', admin, {
      body: { sql: 'insert into staff values ($1, $2)', params: [id, 'editor'] },
    });
    expect(await task('staff', { headers })).toMatchObject({ status: 200, body: { id, role: 'editor' } });
    expect(await task('gateless', { headers })).toMatchObject({
      status: 500,
      code: 'SVC_AUTH_ROLE_GATE_NOT_CONFIGURED',
    });
    expect(await task('fresh', { headers })).toMatchObject({ status: 200, body: { id } });
    expect(await task('stale', { headers })).toMatchObject({ status: 401, code: 'SVC_AUTH_FRESHNESS_REQUIRED' });
    const field = (await task('form', { headers })).body;
    expect(field).toMatch(/^<input type="hidden" name="_csrf" value="[0-9a-f]{32}">$/);
    expect((await task('form', { headers: (await signedIn()).headers })).body).not.toBe(field);
  });

  test('a session of a cookie counts on pages of its own host alone', async () => {
    const { cookie } = await project.visitor();
    const asked = async (more: object) => {
      const { status, headers } = await project.at('POST', '/api?task=user', { cookie, ...more });
      return [status, headers.get('x-svc-error-code')];
    };
    expect(await asked({})).toEqual([200, null]);
    for (const origin of ['https://evil.example.com', null])
      expect(await asked({ origin })).toEqual([403, 'SVC_AUTH_CSRF_ORIGIN_MISMATCH']);
    expect(await asked({ headers: { 'x-csrf-token': 'made-up' } })).toEqual([403, 'SVC_AUTH_CSRF_TOKEN_MISMATCH']);
    const { text } = await project.at('GET', '/api?task=form', { cookie });
    const token = /value="([0-9a-f]{32})"/.exec(JSON.parse(text))![1]!;
    expect(await asked({ headers: { 'x-csrf-token': token } })).toEqual([200, null]);
    const fresh = await project.at('POST', '/api?task=fresh', { cookie });
    expect(fresh.headers.get('x-svc-error-code')).toBe('SVC_AUTH_FRESHNESS_REQUIRED');
  });

  test.each([
    ['elsewhere', 500, 'SVC_AUTH_FETCH_ABSOLUTE_URL'],
    ['membership', 501, 'SVC_AUTH_MEMBERSHIP_GATE_NOT_WIRED'],
    ['unknown', 500, 'SVC_AUTH_UNKNOWN_EXPORT'],
    ['retired', 500, 'SVC_AUTH_UNKNOWN_EXPORT'],
  ])('%s is answered with %i %s', async (name, status, code) => {
    expect(await task(name)).toMatchObject({ status, code, body: { code } });
  });
});

test('events, assets and mail go out by the project itself', async () => {
  expect(await task('event')).toMatchObject({ status: 200, body: { event_type: 'order_paid' } });
  expect(await task('asset')).toMatchObject({
    body: { key: 'notes/a.txt', size_bytes: 4, listed: ['notes/a.txt'] },
  });
  expect(await task('nowhere')).toMatchObject({ body: { code: 'MAILBOX_NOT_FOUND', status: 404 } });
  await service.call(key, 'POST', '/mailboxes/v1', { body: { slug: 'hello-there' } });
  const sent = await task('mail');
  expect(sent).toMatchObject({ status: 200, body: { message_id: expect.stringMatching(/^msg_/) } });
  expect(await task('context')).toMatchObject({
    body: { projectId: project.projectId, requestId: expect.stringMatching(/^req_/), locale: null },
  });
});

test('a run is made by a function, tried again after an error that passes, and ended by one that does not', async () => {
  const { body: made } = await task('run');
  expect(made).toMatchObject({ function_name: 'worker', event_type: 'order.paid' });
  const run = async (id: string) => (await service.call<Any>(key, 'GET', `/functions/v1/runs/${id}`)).body;
  await until(async () => expect(await run(made.run_id)).toMatchObject({ status: 'retrying' }));
  await service.control.sql(`update function_runs set due_at = now() where id = $1`, [made.run_id]);
  await service.control.sql(`select graphile_worker.add_job('functions.wakeRuns')`);
  await until(async () =>
    expect(await run(made.run_id)).toMatchObject({ status: 'succeeded', attempts: { current: 2 } }),
  );
  expect((await task('run')).body).toMatchObject({ run_id: made.run_id, deduplicated: true });
  for (const event of ['order.lost', 'order.unknown']) {
    const { body } = await service.call<Any>(key, 'POST', '/functions/v1/worker/runs', {
      body: { event_type: event, idempotency_key: event },
    });
    await until(async () =>
      expect(await run(body.run_id)).toMatchObject({
        status: 'failed',
        attempts: { current: 1 },
        last_error: { code: 'FUNCTION_RUN_HTTP_400', retryable: false },
      }),
    );
  }
});
