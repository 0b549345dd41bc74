import { afterAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { faults } from '../helpers/ai-server.ts';
import { hostedProject } from '../hosted/hosted-project.ts';
import { startAiWorld } from './stage.ts';

const world = await startAiWorld();
afterAll(() => world.stop());
const { server, service, call, addon } = world;

const source = `
import { ai } from '@svc/functions';

const failure = ({ code, status }) => ({ code, status });
const tasks = {
  translate: () => ai.translate('Good morning', 'es', { from: 'en', context: 'A greeting' }),
  moderate: () => ai.moderate('I will kill you'),
  image: () => ai.generateImage({ prompt: 'Sea', aspect: 'landscape' }),
};

export default async (request) =>
  Response.json(await tasks[new URL(request.url).searchParams.get('task')]().catch(failure));`;

test('a function translates, moderates and makes images with its project’s own key', async () => {
  const project = await hostedProject(service);
  const spec = {
    functions: { replace: { api: { source: refOf(source) } } },
    routes: { replace: [{ pattern: '/api', target: { type: 'function', name: 'api' } }] },
  };
  expect(await deploying(service, project.owner, project).deploy(spec, [source])).toMatchObject({ status: 'ready' });
  const run = async (task: string) => {
    const answer = await fetch(`${service.url}/functions/v1/api?task=${task}`, {
      method: 'POST',
      headers: { apikey: project.anonKey },
    });
    return (await answer.json()) as Record<string, unknown>;
  };

  expect(await run('translate')).toEqual({ code: 'AI_ADDON_INACTIVE', status: 403 });
  await addon('POST', project.projectId);
  expect(await run('translate')).toEqual({ text: 'buenos días', from: 'en', to: 'es' });
  expect(await run('moderate')).toMatchObject({ flagged: true, categories: { violence: true } });

  expect(await run('image')).toEqual({ code: 'PAYMENT_REQUIRED', status: 402 });
  const [owned] = await service.control.sql<{ org_id: string }>('select org_id from projects where id = $1', [
    project.projectId,
  ]);
  await call(service.actors.admin, 'POST', `/orgs/v1/admin/${owned!.org_id}/credits`, {
    body: { amount_usd_micros: 30_000 },
  });
  server.next(faults.html);
  expect(await run('image')).toEqual({ code: 'UPSTREAM_UNAVAILABLE', status: 502 });
  expect(await run('image')).toMatchObject({ content_type: 'image/png', aspect: 'landscape' });
});
