import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startAiWorld } from './stage.ts';

const world = await startAiWorld();
afterAll(() => world.stop());
const { service, project } = world;

test('a text is judged in every way that the model knows, for nothing and without an add-on', async () => {
  const { moderate } = await project({ words: 0 });
  const { status, body } = await moderate('I will kill you');
  expect(status).toBe(200);
  expect(body.flagged).toBe(true);
  expect(body.categories).toMatchObject({ violence: true, hate: false });
  expect(body.category_scores).toMatchObject({ violence: 0.93 });
  expect(body.scores).toEqual(body.category_scores);
  expect((await moderate('A nice day')).body.flagged).toBe(false);
});

test('a member asks over GraphQL', async () => {
  const { wallet, projectId } = await project({ words: 0 });
  const query = `query ($project: ID!) { moderateText(project: $project, text: "I will kill you") {
    flagged categories categoryScores } }`;
  const { data } = await service.graphql(wallet, query, { project: projectId });
  expect(data.moderateText).toMatchObject({ flagged: true, categories: { violence: true } });
});

test('one project asks only so often, and another is not held up', async () => {
  const [busy, other] = [await project({ words: 0 }), await project({ words: 0 })];
  const answers = await Promise.all(Array.from({ length: 60 }, () => busy.moderate('A nice day')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expectRefusal(refused[0]!, 'RATE_LIMITED');
  expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await other.moderate('A nice day')).status).toBe(200);
});
