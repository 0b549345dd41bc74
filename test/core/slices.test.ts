import { expect, test } from 'vitest';
import { type SlicedWork, Slices } from '../../core/slices.ts';

/** A clock by which each look at it takes a millisecond. */
const ticking = () => {
  let at = 0;
  return () => at++;
};

function* steps(name: string, count: number, log: string[]): SlicedWork<string> {
  for (let step = 1; step <= count; step++) {
    log.push(`${name}${step}`);
    yield;
  }
  return name;
}

test('works take turns, and whatever else is due comes between any two slices', async () => {
  const log: string[] = [];
  const slices = new Slices({ sliceMs: 2, now: ticking() });
  const both = Promise.all([slices.run(steps('a', 6, log)), slices.run(steps('b', 3, log))]);
  let isOver = false;
  const other = () => {
    log.push('|');
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  expect(await both).toEqual(['a', 'b']);
  isOver = true;
  expect(log.join(' ')).toMatch(/^a1 a2 \| b1 b2 \| a3 a4 \| b3 \| a5 a6 \|/);
});

test('a small work is done in one slice', async () => {
  const log: string[] = [];
  setImmediate(() => log.push('|'));
  await new Slices({ sliceMs: 100, now: ticking() }).run(steps('a', 5, log));
  expect(log.join(' ')).toBe('| a1 a2 a3 a4 a5');
});

test('a work that fails is refused, and those behind it go on', async () => {
  const slices = new Slices({ sliceMs: 1, now: ticking() });
  const failing = slices.run(
    (function* (): SlicedWork<never> {
      yield;
      throw new Error('broken');
    })(),
  );
  const next = slices.run(steps('a', 3, []));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('a');
});
