import { afterAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

const caller = `export default async (request) => {
  const ask = (url) => fetch(url, { headers: { apikey: process.env.SVC_ANON_KEY } }).then(({ status }) => status, ({ cause }) => cause.code);
  const base = process.env.SVC_API_BASE;
  const other = new URL(base);
  other.port = String(Number(other.port) + 1);
  return Response.json([await ask(base + '/health'), await ask(other), await ask('http://169.254.169.254/')]);
};`;

test('a function reaches the platform that runs it, and nothing else on the machine', async () => {
  const project = await service.project();
  const theirs = deploying(service, project.wallet, project);
  await theirs.deploy({ functions: { replace: { caller: { source: refOf(caller) } } } }, [caller]);
  const { body } = await service.call<unknown>(
    withHeaders({ apikey: project.anonKey }),
    'POST',
    '/functions/v1/caller',
  );
  expect(body).toEqual([200, 'EGRESS_FORBIDDEN', 'EGRESS_FORBIDDEN']);
});
