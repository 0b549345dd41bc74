import { afterAll, expect, test, vi } from 'vitest';
import { terminal } from '../cli/command.ts';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { type Service, startService } from '../helpers/service.ts';

// On a machine without the programs that boxes are made with.

const required = await startService();
const optional = await startService({ env: { SVC_FUNCTIONS_ISOLATION: 'optional' } });
vi.stubEnv('PATH', '/absent');
afterAll(async () => {
  vi.unstubAllEnvs();
  await required.stop();
  await optional.stop();
});

const hello = `export default () => new Response('hello');`;

async function commitTo(service: Service) {
  const project = await service.project();
  const theirs = deploying(service, project.wallet, project);
  const spec = { functions: { replace: { hello: { source: refOf(hello) } } } };
  await theirs.upload(hello);
  const { body } = await theirs.plan(spec);
  return { project, theirs, committed: await theirs.commit(body.plan_id) };
}

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
const ask = async (service: Service, path: string) => (await service.call<any>(service.actors.admin, 'GET', path)).body;

const doctor = async (service: Service) => {
  const ada = await terminal(service.url);
  const { json } = await ada.svc('doctor', '--only', 'functions_isolation');
  await ada.remove();
  return json.checks[0];
};

test('functions are refused where they cannot be kept apart, and the operator reads why', async () => {
  const { committed } = await commitTo(required);
  expect(committed).toMatchObject({
    status: 422,
    body: { code: 'FUNCTIONS_NOT_AVAILABLE', details: { reason: expect.stringContaining('is not installed') } },
  });
  expect(await ask(required, '/admin/v1/installation')).toMatchObject({
    functions: 'unavailable',
    functions_reason: expect.stringContaining('is not installed'),
  });
  expect(await ask(required, '/status')).toMatchObject({ functions_isolation: 'required' });
  expect(await doctor(required)).toMatchObject({ status: 'ok' });
});

test('they run there where the operator says that isolation is optional, which everybody is told', async () => {
  const { project, theirs, committed } = await commitTo(optional);
  expect(await theirs.ended(committed.body.operation_id)).toMatchObject({ status: 'ready' });
  const answer = await optional.call(withHeaders({ apikey: project.anonKey }), 'GET', '/functions/v1/hello');
  expect(answer.text).toBe('hello');
  expect(await ask(optional, '/admin/v1/installation')).toMatchObject({
    functions: 'trusted',
    functions_reason: expect.stringContaining('is not installed'),
  });
  expect(await ask(optional, '/status')).toMatchObject({ functions_isolation: 'optional' });
  expect(await doctor(optional)).toMatchObject({ status: 'warning', hint: expect.stringContaining('operator') });
});
