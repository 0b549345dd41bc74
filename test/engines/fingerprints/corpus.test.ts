import { expect, test } from 'vitest';
import { halfOf, readCorpus, score } from '../../../scripts/fingerprints/corpus.ts';

const corpus = await readCorpus();
const scored = corpus.filter((trace) => halfOf(trace) === 'scored');

test('the corpus holds failures of real programs, of many causes in both halves', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  expect(new Set(scored.map(({ cause }) => cause)).size).toBeGreaterThanOrEqual(30);
  const lanes = new Set(corpus.map(({ lane }) => lane));
  expect([...lanes].sort()).toEqual(['minified', 'node', 'page']);
});

test('in the half that no rule was tuned on, like failures are together and unlike ones apart', () => {
  const { together, apart } = score(scored);
  expect(together.of).toBeGreaterThan(300);
  expect(apart.of).toBeGreaterThan(30_000);
  expect(together.share).toBeGreaterThanOrEqual(0.98);
  expect(apart.share).toBeGreaterThanOrEqual(0.99);
});

test('a grouping that puts everything together, or nothing, would not do', () => {
  const same = score(scored.map((trace) => ({ ...trace, message: '', stack: '', kind: 'uncaught' as const })));
  expect(same.apart.share).toBeLessThan(0.01);
  const unlike = score(scored.map((trace, at) => ({ ...trace, message: `${trace.message} ${letters(at)}` })));
  expect(unlike.together.share).toBeLessThan(0.05);
});

const letters = (at: number) => [...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
