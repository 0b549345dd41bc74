import { afterAll, beforeAll, expect, test } from 'vitest';
import { terminal } from '../cli/command.ts';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);

const talker = `export default async (request) => {
  const said = await request.text();
  console.log('heard ' + said);
  console.error('and complained');
  return new Response(said);
};`;
const quiet = `export default () => new Response('');`;

let project: Awaited<ReturnType<typeof service.project>>;
let path: string;
beforeAll(async () => {
  project = await service.project();
  path = `/projects/v1/admin/${project.projectId}/functions`;
  await deploying(service, project.wallet, project).deploy(
    {
      functions: {
        replace: {
          talker: { source: refOf(talker), config: { timeout_seconds: 5, memory_mb: 128 } },
          quiet: { source: refOf(quiet), require_auth: true },
        },
      },
    },
    [talker, quiet],
  );
});

const say = async (text: string) => {
  const answer = await fetch(`${service.url}/functions/v1/talker`, {
    method: 'POST',
    headers: { apikey: project.anonKey, 'content-type': 'text/plain' },
    body: text,
  });
  expect([answer.status, await answer.text()]).toEqual([200, text]);
  return answer.headers.get('x-svc-request-id')!;
};
const serviceKey = () => service.actors.bearer(project.serviceKey);
interface Logs {
  readonly logs: readonly { readonly message: string; readonly timestamp: string; readonly request_id?: string }[];
}
const logs = async (search = '') => (await call(serviceKey(), 'GET', `${path}/talker/logs${search}`)).body as Logs;

test('the functions of the live release are told, with where they are called', async () => {
  const { status, body } = await call(serviceKey(), 'GET', path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    functions: [
      { name: 'quiet', require_auth: true, runtime_stale: false },
      {
        name: 'talker',
        url: expect.stringMatching(/^http.*\/functions\/v1\/talker$/),
        runtime: 'node22',
        timeout: 5,
        memory: 128,
        schedule: null,
        deps_resolved: {},
        runtime_current_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      },
    ],
  });
  // The address that is told answers.
  const { url } = (body as { functions: { url: string }[] }).functions[1]!;
  expect((await fetch(url, { method: 'POST', headers: { apikey: project.anonKey } })).status).toBe(200);
});

test('a function keeps the age that it has, until its code changes', async () => {
  const other = await service.project();
  const theirs = deploying(service, other.wallet, other);
  const ages = async () => {
    const { body } = await call(
      service.actors.bearer(other.serviceKey),
      'GET',
      `/projects/v1/admin/${other.projectId}/functions`,
    );
    const { created_at, updated_at } = (body as { functions: { created_at: string; updated_at: string }[] })
      .functions[0]!;
    return { created_at, updated_at };
  };
  expect(await call(other.wallet, 'GET', `/projects/v1/admin/${other.projectId}/functions`)).toMatchObject({
    body: { functions: [] },
  });
  await theirs.deploy({ functions: { replace: { one: { source: refOf(quiet) } } } }, [quiet]);
  const first = await ages();
  expect(first.updated_at).toBe(first.created_at);
  await theirs.deploy({ site: { replace: { 'index.html': refOf('hello') } } }, ['hello']);
  expect(await ages()).toEqual(first);
  await theirs.deploy({ functions: { replace: { one: { source: refOf(talker) } } } }, [talker]);
  const changed = await ages();
  expect(changed.created_at).toBe(first.created_at);
  expect(changed.updated_at > first.updated_at).toBe(true);
});

test('what a call has printed is there when the next request asks for it, oldest first, and found by the call', async () => {
  const one = await say('one');
  const two = await say('two');
  const all = (await logs()).logs.map(({ message }) => message);
  expect(all.slice(-4)).toEqual(['heard one', 'and complained', 'heard two', 'and complained']);
  const ofOne = (await logs(`?request_id=${one}`)).logs;
  expect(ofOne).toMatchObject([
    { message: 'heard one', stream: 'stdout', origin: 'app', request_id: one },
    { message: 'and complained', stream: 'stderr', request_id: one },
  ]);
  expect((await logs('?tail=1')).logs).toMatchObject([{ message: 'and complained', request_id: two }]);
  const from = (await logs(`?request_id=${two}`)).logs[0]!.timestamp;
  for (const since of [from, String(new Date(from).getTime())])
    expect((await logs(`?since=${encodeURIComponent(since)}`)).logs[0]).toMatchObject({ request_id: two });
});

test('the graph, the command and the tools tell the same', async () => {
  await say('hello');
  const { data, errors } = await service.graphql(
    project.wallet,
    `{ project(id: "${project.projectId}") {
      functions { name url timeoutSeconds requireAuth runtimeStale createdAt }
      functionLogs(name: "talker", tail: 2) { message stream requestId }
    } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.project).toMatchObject({
    functions: [
      { name: 'quiet', requireAuth: true },
      { name: 'talker', timeoutSeconds: 5 },
    ],
    functionLogs: [
      { message: 'heard hello', stream: 'stdout' },
      { message: 'and complained', stream: 'stderr' },
    ],
  });
  const ada = await terminal(service.url);
  const svc = ada.with({ SVC_SERVICE_KEY: project.serviceKey, SVC_PROJECT_ID: project.projectId });
  const listed = await svc('functions', 'list');
  expect(listed.json.functions.map(({ name }: { name: string }) => name)).toEqual(['quiet', 'talker']);
  expect((await svc('functions', 'logs', 'talker', '--tail', '1')).json.logs).toMatchObject([
    { message: 'and complained' },
  ]);
  await ada.remove();
});

test('doctor names the functions that a new build would change', async () => {
  const ada = await terminal(service.url);
  const svc = ada.with({ SVC_SERVICE_KEY: project.serviceKey });
  const look = async () =>
    (await svc('doctor', '--only', 'runtime_staleness', '--project', project.projectId)).json.checks[0];
  expect(await look()).toMatchObject({ status: 'ok', value: { functions: 2, stale: [] } });
  const version = (to: string) =>
    service.control.sql<{ runtime_version: string }>(
      `update function_builds set runtime_version = $2 where project_id = $1 and fingerprint in
       (select fingerprint from release_functions where project_id = $1 and name = 'talker') returning runtime_version`,
      [project.projectId, to],
    );
  const { runtime_version: current } = (
    await service.control.sql<{ runtime_version: string }>('select runtime_version from function_builds limit 1')
  )[0]!;
  expect(await version('3.6.0')).toHaveLength(1);
  expect(await look()).toMatchObject({ status: 'warning', value: { stale: ['talker'] } });
  await version(current);
  await ada.remove();
});

test('nobody reads functions of another project, and bad input is named', async () => {
  const other = await service.project();
  for (const actor of [
    service.actors.nobody,
    withHeaders({ apikey: project.anonKey }),
    other.wallet,
    service.actors.bearer(other.serviceKey),
  ])
    for (const at of [path, `${path}/talker/logs`])
      expect([401, 403], at).toContain((await call(actor, 'GET', at)).status);
  expectRefusal(await call(serviceKey(), 'GET', `${path}/absent/logs`), 'FUNCTION_NOT_FOUND');
  expect((await call(serviceKey(), 'GET', `${path}/quiet/logs`)).body).toEqual({ logs: [] });
  for (const [field, value] of [
    ['tail', '0'],
    ['tail', '1001'],
    ['since', 'yesterday'],
    ['since', '2026-03-06'],
    ['request_id', 'abc'],
  ])
    expectRefusal(await call(serviceKey(), 'GET', `${path}/talker/logs?${field}=${value}`), 'VALIDATION_FAILED', {
      field,
    });
});
