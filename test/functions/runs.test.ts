import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService();
afterAll(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** Answers as its payload says, and prints what it was given. */
const worker = `
export default async (request) => {
  const run = await request.json();
  const tries = run.generation - 1 + run.attempt.number;
  console.log(JSON.stringify({ run, headers: Object.fromEntries(request.headers) }));
  const { status = 200, until = 0, hang = false, text = '', retry } = run.payload;
  if (hang) await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (until > 0 && tries >= until) return new Response('done');
  return new Response(text, { status, headers: retry === undefined ? {} : { 'retry-after': retry } });
};`;

const project = await service.project();
const theirs = deploying(service, project.wallet, project);
const byKey = service.actors.bearer(project.serviceKey);
beforeAll(async () => {
  const functions = { replace: { worker: { source: refOf(worker), config: { timeout_seconds: 10 } } } };
  expect(await theirs.deploy({ functions }, [worker])).toMatchObject({ status: 'ready' });
});

let keys = 0;
const asked = (more: Any = {}) => ({ event_type: 'order.paid', idempotency_key: `key-${++keys}`, ...more });
const create = (body: Any, as = byKey, name = 'worker', headers: Record<string, string> = {}) =>
  service.call<Any>(as, 'POST', `/functions/v1/${name}/runs`, { body, headers });
const read = async (id: string) => (await service.call<Any>(byKey, 'GET', `/functions/v1/runs/${id}`)).body;
const post = (id: string, what: string, body: Any = {}, as = byKey) =>
  service.call<Any>(as, 'POST', `/functions/v1/runs/${id}/${what}`, { body });
const made = async (more: Any = {}): Promise<string> => {
  const { status, body } = await create(asked(more));
  expect(body).toMatchObject({ run_id: expect.stringMatching(/^fnrun_/) });
  expect(status).toBe(202);
  return body.run_id;
};
const becomes = (id: string, status: string) =>
  until(async () => {
    const run = await read(id);
    expect(run).toMatchObject({ status });
    return run;
  });
/** The run is due at once, as if its pause were over; one that was taken keeps its lease. */
const hasten = (id: string) =>
  service.control.sql(
    `update function_runs set due_at = now() where id = $1 and due_at is not null and lease is null`,
    [id],
  );

test('a run is made, has the function called with what it is about, and succeeds', async () => {
  const { status, body } = await create(asked({ payload: { a: 1 } }));
  expect(status).toBe(202);
  expect(body).toMatchObject({
    function_name: 'worker',
    event_type: 'order.paid',
    terminal: false,
    generation: 1,
    source: { type: 'api' },
    attempts: { current: 0, max: 5, total: 0 },
  });
  const run = await becomes(body.run_id, 'succeeded');
  expect(run).toMatchObject({
    terminal: true,
    attempts: { current: 1, total: 1 },
    last_attempt: { attempt_id: expect.stringMatching(/^fnatt_/), number: 1, response_status: 200 },
    next_actions: [{ type: 'logs', href: `/functions/v1/runs/${body.run_id}/logs` }],
  });
  const { logs } = (await service.call<Any>(byKey, 'GET', `/functions/v1/runs/${body.run_id}/logs`)).body;
  const { run: given, headers } = JSON.parse(logs[0].message);
  expect(given).toEqual({
    trigger: 'function_run',
    run_id: body.run_id,
    generation: 1,
    event_type: 'order.paid',
    idempotency_key: `key-${keys}`,
    run_at: run.run_at,
    attempt: { attempt_id: run.last_attempt.attempt_id, number: 1, max: 5 },
    source: { type: 'api' },
    payload: { a: 1 },
  });
  expect(headers).toMatchObject({
    'x-svc-trigger': 'function_run',
    'x-svc-run-id': body.run_id,
    'x-svc-request-id': body.run_id,
    'x-svc-attempt-id': run.last_attempt.attempt_id,
    'x-svc-idempotency-key': `key-${keys}`,
    'x-svc-function-name': 'worker',
    'x-svc-route-pattern': 'function_run:worker',
  });
});

test('a key makes one run: the same again answers it, and something else is refused', async () => {
  const body = asked({ payload: { n: 1 } });
  const first = await create(body, byKey, 'worker', { 'idempotency-key': body.idempotency_key });
  const again = await create(body, byKey, 'worker', { 'idempotency-key': body.idempotency_key });
  expect([again.status, again.body.run_id, again.body.deduplicated]).toEqual([200, first.body.run_id, true]);
  const other = await create({ ...body, payload: { n: 2 } });
  expect([other.status, other.body.code]).toEqual([409, 'function_run_idempotency_conflict']);
  const many = await Promise.all(Array.from({ length: 8 }, () => create({ ...body, idempotency_key: 'many' })));
  expect(new Set(many.map((one) => one.body.run_id)).size).toBe(1);
  expect(many.filter(({ status }) => status === 202)).toHaveLength(1);
});

describe('what is refused', () => {
  const ahead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  test.each<[string, Any]>([
    ['event_type', { event_type: '' }],
    ['event_type', { event_type: undefined }],
    ['idempotency_key', { idempotency_key: undefined }],
    ['payload', { payload: [] }],
    ['run_at', { run_at: 'tomorrow' }],
    ['run_at', { run_at: ahead(91) }],
    ['delay_seconds', { run_at: ahead(1), delay_seconds: 5 }],
    ['delay_seconds', { delay_seconds: -1 }],
    ['expires_at', { run_at: ahead(2), expires_at: ahead(1) }],
    ['retry.preset', { retry: { preset: 'eager' } }],
    ['retry.max_attempts', { retry: { max_attempts: 21 } }],
  ])('%s %j', async (field, more) => {
    const { status, body } = await create(asked(more));
    expect([status, body.code, body.details.field]).toEqual([400, 'invalid_function_run_request', field]);
  });

  test('a header that names another key than the body', async () => {
    const { status, body } = await create(asked(), byKey, 'worker', { 'idempotency-key': 'another' });
    expect([status, body.code]).toEqual([400, 'invalid_function_run_request']);
  });

  test('a function that the live release has not', async () => {
    const { status, body } = await create(asked(), byKey, 'absent');
    expect([status, body.code]).toEqual([404, 'FUNCTION_NOT_FOUND']);
  });
});

describe('retries', () => {
  test.each([
    [500, 30],
    [503, 30],
    [429, 30],
  ])(
    'after %i a run waits %i seconds, twice as long each time, and fails with its last attempt',
    async (status, first) => {
      const id = await made({ payload: { status, text: 'later' }, retry: { max_attempts: 3 } });
      for (const attempt of [1, 2]) {
        const run = await becomes(id, 'retrying');
        const pause = Date.parse(run.attempts.next_attempt_at) - Date.parse(run.updated_at);
        expect(Math.abs(pause - first * 2 ** (attempt - 1) * 1_000)).toBeLessThan(5);
        expect(run).toMatchObject({
          attempts: { current: attempt },
          last_error: { code: `FUNCTION_RUN_HTTP_${status}`, message: 'later', retryable: true },
          next_actions: [{ type: 'cancel' }],
        });
        await hasten(id);
        await until(async () => expect((await read(id)).attempts.current).toBe(attempt + 1));
      }
      expect(await becomes(id, 'failed')).toMatchObject({ terminal: true, attempts: { current: 3, total: 3 } });
    },
  );

  test('the pauses may be set, and a Retry-After counts up to the longest', async () => {
    const retry = { min_delay_seconds: 5, max_delay_seconds: 50 };
    const pauseOf = async (payload: Any) => {
      const { attempts, updated_at: at } = await becomes(await made({ payload, retry }), 'retrying');
      return Math.round((Date.parse(attempts.next_attempt_at) - Date.parse(at)) / 1_000);
    };
    expect(await pauseOf({ status: 500 })).toBe(5);
    expect(await pauseOf({ status: 429, retry: '20' })).toBe(20);
    expect(await pauseOf({ status: 503, retry: '7200' })).toBe(50);
  });

  test('another status fails at once, and a later success ends a run', async () => {
    const id = await made({ payload: { status: 422, text: 'no such order' } });
    expect(await becomes(id, 'failed')).toMatchObject({
      attempts: { current: 1 },
      last_error: { code: 'FUNCTION_RUN_HTTP_422', message: 'no such order', retryable: false },
      next_actions: [{ type: 'logs' }, { type: 'redrive' }],
    });
    const second = await made({ payload: { status: 500, until: 2 }, retry: { min_delay_seconds: 0 } });
    expect(await becomes(second, 'succeeded')).toMatchObject({ attempts: { current: 2 } });
  });
});

describe('what is done with runs', () => {
  const later = { delay_seconds: 3_600 };

  test('a run that waits, and one under way, are cancelled; the late outcome changes nothing', async () => {
    const waiting = await made(later);
    expect(await read(waiting)).toMatchObject({ status: 'scheduled', terminal: false });
    const { body } = await post(waiting, 'cancel');
    expect(body).toMatchObject({ status: 'cancelled', last_error: { code: 'FUNCTION_RUN_CANCELLED' } });
    expect((await post(waiting, 'cancel')).body).toEqual(body);

    const running = await made({ payload: { hang: true } });
    expect(await becomes(running, 'running')).toMatchObject({
      next_actions: [{ type: 'logs' }, { type: 'cancel', best_effort: true }],
    });
    expect((await post(running, 'cancel')).body).toMatchObject({ status: 'cancelled', terminal: true });
    // Its process ends with it, so that the next one has its turn.
    const next = await made();
    await becomes(next, 'succeeded');
    expect(await read(running)).toMatchObject({ status: 'cancelled', attempts: { current: 1 } });
  });

  test('a run that failed is driven again, with all of its attempts; one that has not ended stays as it is', async () => {
    const id = await made({
      payload: { status: 400, until: 2 },
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await becomes(id, 'failed');
    const { status, body } = await post(id, 'redrive', { retry: { max_attempts: 2 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ generation: 2, attempts: { current: 0, max: 2, total: 1 }, terminal: false });
    expect(body).not.toHaveProperty('expires_at');
    const done = await becomes(id, 'succeeded');
    expect(done).toMatchObject({ generation: 2, attempts: { current: 1, total: 2 } });
    expect((await post(id, 'redrive')).body).toEqual(done);
  });

  test('a run whose time is over is not begun', async () => {
    const at = new Date(Date.now() + 3_600_000);
    const id = await made({ ...later, expires_at: new Date(at.getTime() + 60_000).toISOString() });
    await service.control.sql(`update function_runs set due_at = now(), expires_at = now() where id = $1`, [id]);
    expect(await becomes(id, 'expired')).toMatchObject({
      attempts: { current: 0 },
      last_error: { code: 'FUNCTION_RUN_EXPIRED' },
    });
  });

  test('a run whose node vanished is taken up after its lease, and its attempt counts', async () => {
    const id = await made({ ...later, retry: { max_attempts: 2 } });
    // As a node leaves it that was killed in mid-attempt.
    const vanish = () =>
      service.control.sql(
        `update function_runs set status = 'running', attempt = attempt + 1, attempts_total = attempts_total + 1,
           attempt_id = 'fnatt_lost', attempt_started_at = now(), lease = 'lost', due_at = now() where id = $1`,
        [id],
      );
    await vanish();
    expect(await becomes(id, 'succeeded')).toMatchObject({
      attempts: { current: 2 },
      last_error: { code: 'FUNCTION_RUN_LEASE_EXPIRED', retryable: true },
    });
    const { body } = await create(asked({ ...later, retry: { max_attempts: 1 } }));
    await service.control.sql(
      `update function_runs set status = 'running', attempt = 1, lease = 'lost', due_at = now() where id = $1`,
      [body.run_id],
    );
    expect(await becomes(body.run_id, 'failed')).toMatchObject({ last_error: { code: 'FUNCTION_RUN_LEASE_EXPIRED' } });
  });
});

test('a run waits while its project is frozen, and goes on by itself', async () => {
  const other = await service.project();
  const key = service.actors.bearer(other.serviceKey);
  await deploying(service, other.wallet, other).deploy(
    { functions: { replace: { worker: { source: refOf(worker) } } } },
    [worker],
  );
  const { body } = await create(asked({ delay_seconds: 3_600 }), key);
  const state = (to: string) =>
    service.control.sql(
      `update orgs set lifecycle_state = $2, lifecycle_entered_at = now() where id = (select org_id from projects where id = $1)`,
      [other.projectId, to],
    );
  await state('frozen');
  const look = async () => (await service.call<Any>(key, 'GET', `/functions/v1/runs/${body.run_id}`)).body;
  await until(async () => {
    await hasten(body.run_id);
    expect(await look()).toMatchObject({
      status: 'blocked',
      last_error: { code: 'PROJECT_FROZEN' },
      attempts: { total: 0 },
    });
  });
  await state('active');
  await until(async () => {
    await hasten(body.run_id);
    expect(await look()).toMatchObject({ status: 'succeeded', attempts: { current: 1 } });
  });
});

test('a subscription tells how a run stands, and then what becomes of it', async () => {
  const id = await made({ payload: { status: 500, until: 2 }, retry: { min_delay_seconds: 0 }, delay_seconds: 3_600 });
  const { client } = openSocket(service.url, project.wallet);
  const events = client.iterate<Any, unknown>({
    query: 'subscription ($run: ID!) { functionRun(run: $run) { cursor run { status generation } } }',
    variables: { run: id },
  });
  const seen: string[] = [];
  for await (const { data, errors } of events) {
    expect(errors).toBeUndefined();
    seen.push(data.functionRun.run.status);
    if (seen.length === 1) await hasten(id);
    if (seen.at(-1) === 'SUCCEEDED') break;
  }
  expect(seen).toEqual(['SCHEDULED', 'RUNNING', 'RETRYING', 'RUNNING', 'SUCCEEDED']);
  await client.dispose();
});

test('runs are listed newest first, and page by page', async () => {
  const event_type = 'listed';
  const ids = [];
  for (let at = 0; at < 3; at++) ids.push(await made({ event_type, payload: at === 0 ? { status: 400 } : {} }));
  for (const [at, id] of ids.entries()) await becomes(id, at === 0 ? 'failed' : 'succeeded');
  const list = async (query: string) =>
    (await service.call<Any>(byKey, 'GET', `/functions/v1/worker/runs?event_type=${event_type}${query}`)).body;
  const page = await list('&limit=2');
  expect(page.runs.map((one: Any) => one.run_id)).toEqual([ids[2], ids[1]]);
  expect((await list(`&limit=2&cursor=${page.next_cursor}`)).runs.map((one: Any) => one.run_id)).toEqual([ids[0]]);
  expect((await list('&status=failed')).runs.map((one: Any) => one.run_id)).toEqual([ids[0]]);
  expect((await list(`&until=${Date.now() - 3_600_000}`)).runs).toEqual([]);
});

test('callers without the right are refused, and another project’s run is not there', async () => {
  const id = await made();
  const other = await service.project();
  const anon = withHeaders({ apikey: project.anonKey });
  const foreign = service.actors.bearer(other.serviceKey);
  expect((await create(asked(), withHeaders({}))).status).toBe(401);
  expect((await create(asked(), anon)).status).toBe(401);
  expect((await create(asked(), foreign)).body.code).toBe('FUNCTION_NOT_FOUND');
  for (const as of [foreign, other.wallet]) {
    const seen = await service.call<Any>(as, 'GET', `/functions/v1/runs/${id}`);
    expect([seen.status, seen.body.code]).toEqual([404, 'function_run_not_found']);
    for (const what of ['cancel', 'redrive']) expect((await post(id, what, {}, as)).status).toBe(404);
  }
  expect((await service.call<Any>(anon, 'GET', `/functions/v1/runs/${id}`)).status).toBe(401);
  expect((await create({ ...asked(), project_id: project.projectId }, project.wallet)).status).toBe(202);
});
