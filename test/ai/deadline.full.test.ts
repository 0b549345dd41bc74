import { afterAll, expect, test } from 'vitest';
import { faults } from '../helpers/ai-server.ts';
import { startAiWorld } from './stage.ts';

const world = await startAiWorld({ env: { AI_TIMEOUT_SECONDS: '2' } });
afterAll(() => world.stop());
const { server, project, holds } = world;

const slow = [
  ['says nothing', [faults.hangs]],
  ['sends without an end', [faults.endless]],
  // Both tries share one deadline.
  ['fails, and then says nothing', [faults.says(503, {}), faults.hangs]],
] as const;

test.each(slow)('a model that %s is given up, and nothing is charged', async (_case, answers) => {
  const { translate, moderate, image, usage, balance } = await project({ credit: 30_000 });
  for (const [kind, ask] of [
    ['translate', () => translate({ text: 'Hello' })],
    ['moderate', () => moderate('Hello')],
  ] as const) {
    server.next(...answers);
    const answer = await ask();
    expect([answer.status, answer.body.details]).toEqual([502, { kind, reason: 'too_slow' }]);
  }
  server.next(answers.at(-1)!);
  expect((await image({ prompt: 'Sea' })).body.details).toEqual({ kind: 'image', reason: 'too_slow' });
  expect((await usage()).used_words).toBe(0);
  expect(await balance()).toEqual({ available: 30_000, held: 0 });
  expect(await holds()).toBe(0);
});
