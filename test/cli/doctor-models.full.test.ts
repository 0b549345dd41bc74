import { afterAll, expect, test } from 'vitest';
import { startAiServer } from '../helpers/ai-server.ts';
import { startService } from '../helpers/service.ts';
import { terminal } from './command.ts';

const answering = await startAiServer();
const silent = await startAiServer();
await silent.close();
const services = await Promise.all([answering.env, silent.env, {}].map((env) => startService({ env, jobs: false })));
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await answering.close();
});

test.each([
  ['answer', 0, 'ok'],
  ['do not answer', 1, 'warning'],
  ['there are none of', 2, 'skipped'],
] as const)('doctor tells of models that %s', async (_what, at, status) => {
  const ada = await terminal(services[at]!.url);
  const { json } = await ada.svc('doctor', '--only', 'models');
  expect(json.checks).toEqual([expect.objectContaining({ name: 'models', status })]);
  await ada.remove();
});
