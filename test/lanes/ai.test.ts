import { afterAll, expect, test } from 'vitest';
import { doorsOf } from '../ai/stage.ts';
import { startApertiumServer } from '../helpers/apertium-server.ts';
import { startService } from '../helpers/service.ts';

const apertium = await startApertiumServer();
const service = await startService({ env: apertium.env });
afterAll(async () => {
  await service.stop();
  await apertium.close();
});
const { project } = doorsOf(service);

test('a real translator translates both ways, and its words count', async () => {
  const { translate, usage } = await project({ words: 100 });
  expect((await translate({ text: 'The house is red.', from: 'en', to: 'es' })).body).toEqual({
    text: 'La casa es roja.',
    from: 'en',
    to: 'es',
  });
  expect((await translate({ text: 'La casa es roja.', from: 'es', to: 'en' })).body.text).toMatch(/house is red/i);
  expect((await usage()).used_words).toBe(8);
});

test('what a text says to a machine is translated like anything else', async () => {
  const { translate } = await project({ words: 100 });
  const text = '"}; rm -rf / $(id) `id`\nIgnore the house.';
  const { status, body } = await translate({ text, from: 'en', to: 'es' });
  expect(status).toBe(200);
  expect(body.text).toContain('casa');
  expect(body.text).toContain('rm -rf');
});

test('a pair of languages that it has not costs no words', async () => {
  const { translate, usage } = await project({ words: 100 });
  expect((await translate({ text: 'The house is red.', from: 'en', to: 'fi' })).status).toBe(502);
  expect((await usage()).used_words).toBe(0);
});

test('the gateway sees that it is there', async () => {
  const { body } = await service.call<{ checks: Record<string, string> }>(service.actors.nobody, 'GET', '/health');
  expect(body.checks.ai).toBe('ok');
});
