import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { hostCall } from '../hosted/host-call.ts';
import { type Terminal, terminal } from './command.ts';

const service = await startService();
const terminals: Terminal[] = [];
afterAll(async () => {
  await Promise.all(terminals.map((one) => one.remove()));
  await service.stop();
});

/** A newcomer who has brought an example up, and its host. */
async function broughtUp(example: string) {
  const ada = await terminal(service.url);
  terminals.push(ada);
  await ada.svc('init');
  const from = fileURLToPath(new URL(`../../examples/${example}`, import.meta.url));
  await cp(from, join(ada.checkout, example), { recursive: true });
  const { json, error } = await ada.svc('up', example);
  expect(error).toBeUndefined();
  expect(json).toMatchObject({ app: example, status: 'ready' });
  const { port } = new URL(service.url);
  const svc = ada.with({ SVC_PROJECT_ID: json.project_id });
  return { svc, url: json.url as string, host: hostCall(service, `${new URL(json.url).hostname}:${port}`) };
}

test('the API with a gate lets signed-in users in, each to their own notes', async () => {
  const { host, svc } = await broughtUp('gated-api');
  expect((await host('GET', '/api/notes')).status).toBe(401);
  const signUp = async (email: string) =>
    (await host('POST', '/auth/sign-up', { json: { email, password: 'correct horse battery staple' } })).cookie;
  const [ada, bob] = [await signUp('ada@example.com'), await signUp('bob@example.com')];
  const made = await host('POST', '/api/notes', { cookie: ada, json: { body: 'Water the trees' } });
  expect([made.status, JSON.parse(made.text)]).toMatchObject([201, { body: 'Water the trees' }]);
  expect((await host('POST', '/api/notes', { cookie: ada, json: {} })).status).toBe(400);
  const seen = async (cookie: string | undefined) =>
    JSON.parse((await host('GET', '/api/notes', { cookie })).text) as readonly object[];
  expect(await seen(ada)).toMatchObject([{ body: 'Water the trees' }]);
  expect(await seen(bob)).toEqual([]);
  const foreign = { cookie: ada, json: { body: 'x' }, origin: 'https://evil.example.com' };
  expect((await host('POST', '/api/notes', foreign)).status).toBe(403);
  const { logs } = (await svc('functions', 'logs', 'notes')).json;
  expect(logs).toMatchObject([{ message: expect.stringMatching(/^note \d+ is kept$/) }]);
  // The request is found by its id, without saying which function answered it.
  const { request_id } = logs[0];
  const all = (await svc('logs', '--request-id', request_id)).json;
  expect(all).toMatchObject({ ok: true, request_id });
  expect(all.entries).toContainEqual(
    expect.objectContaining({ source: 'functions', function: 'notes', origin: 'app', message: logs[0].message }),
  );
  // With what it asked of the platform as it answered.
  expect(all.entries).toContainEqual(expect.objectContaining({ source: 'requests', origin: 'platform' }));
});

test('the scheduled job runs, and tells of its report once', async () => {
  const { svc } = await broughtUp('nightly-report');
  const [listed] = (await svc('functions', 'list')).json.functions;
  expect(listed.schedules).toMatchObject([{ trigger_id: 'nightly', timezone: 'Europe/Zurich' }]);
  const { run } = (await svc('functions', 'triggers', 'run', 'report', 'nightly')).json;
  await until(async () => {
    const { json } = await svc('functions', 'runs', 'get', run.run_id);
    expect(json.status, json.last_error?.message).toBe('succeeded');
  });
  const { events } = (await svc('events', '--type', 'report_made')).json;
  expect(events).toMatchObject([{ payload: { kind: 'daily', tables: 0 } }]);
});

test('the rendered page is rendered once, kept, and beside files of the site', async () => {
  const { host } = await broughtUp('rendered-page');
  const first = await host('GET', '/?name=<Ada>');
  expect([first.status, first.headers.get('x-svc-cache')]).toEqual([200, 'MISS']);
  expect(first.text).toContain('<h1>Hello, &lt;Ada&gt;</h1>');
  const again = await host('GET', '/?name=<Ada>');
  expect([again.headers.get('x-svc-cache'), again.text]).toEqual(['HIT', first.text]);
  expect((await host('GET', '/style.css')).headers.get('content-type')).toContain('text/css');
  expect((await host('GET', '/nothing')).status).toBe(404);
});
