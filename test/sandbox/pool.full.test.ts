import { describe, expect, test } from 'vitest';
import { failureOf, functionOf, handler, makeRunner, requestTo, textOf } from './functions.ts';

const origin = handler('return new Response(String(performance.timeOrigin));');

describe.runIf(process.platform === 'linux')('processes of functions', () => {
  test('wait before there is a function for them, and are replaced once they have one', async () => {
    const { runner, remove } = await makeRunner({ prewarmed: 2 });
    try {
      expect(runner.stats()).toMatchObject({ rung: 'namespaces', prewarmed: 0, processes: 0 });
      await runner.load(functionOf(origin));
      expect(runner.stats()).toMatchObject({ processes: 1, startsFromPool: 0, startsWithoutPool: 1 });
      await expect.poll(() => runner.stats().prewarmed).toBe(2);
      await runner.load(functionOf(origin));
      expect(runner.stats()).toMatchObject({ processes: 2, startsFromPool: 1, startsWithoutPool: 1 });
      await expect.poll(() => runner.stats().prewarmed).toBe(2);
      // Another size of memory has a pool of its own.
      await runner.load(functionOf(origin, { memoryMb: 256 }));
      expect(runner.stats()).toMatchObject({ processes: 3, startsFromPool: 1, startsWithoutPool: 2 });
    } finally {
      await remove();
    }
  });

  test('end when they had no call for a while', async () => {
    const { runner, remove } = await makeRunner({ prewarmed: 0, idleMs: 100 });
    try {
      await runner.load(functionOf(origin));
      expect(runner.stats().processes).toBe(1);
      await expect.poll(() => runner.stats().processes).toBe(0);
    } finally {
      await remove();
    }
  });

  test('share a bound on memory: the longest idle one makes room, and one that works does not', async () => {
    const { runner, remove } = await makeRunner({ prewarmed: 0, memoryMb: 200 });
    try {
      const [first, second, third] = [functionOf(origin), functionOf(origin), functionOf(origin)];
      const before = await textOf(runner, first, requestTo('/'));
      const kept = await textOf(runner, second, requestTo('/'));
      await runner.load(third);
      expect(await textOf(runner, second, requestTo('/'))).toBe(kept);
      expect(await textOf(runner, first, requestTo('/'))).not.toBe(before);

      const busy = functionOf(
        handler('if (url.pathname === "/wait") await new Promise(() => {}); return new Response("x");'),
      );
      await runner.load(busy);
      const waiting = failureOf(runner.call(busy, requestTo('/wait')));
      await textOf(runner, busy, requestTo('/'));
      expect(await failureOf(runner.load(functionOf(origin)))).toMatchObject({ kind: 'busy' });
      await runner.close();
      expect(await waiting).toEqual({ kind: 'cancelled' });
    } finally {
      await remove();
    }
  });

  test('of a function with several calls at once are as many as are allowed', async () => {
    const { runner, remove } = await makeRunner({ prewarmed: 0, processesPerFunction: 2 });
    try {
      const fn = functionOf(
        handler('await new Promise((resolve) => setTimeout(resolve, 3_000)); return new Response("x");'),
      );
      await runner.load(fn);
      const calls = Array.from({ length: 4 }, (_, at) => textOf(runner, fn, requestTo(`/${at}`)));
      await expect.poll(() => runner.stats().processes).toBe(2);
      expect(await Promise.all(calls)).toEqual(['x', 'x', 'x', 'x']);
    } finally {
      await remove();
    }
  });

  test('never belong to a second function, even of the same project', async () => {
    const { runner, remove } = await makeRunner({ prewarmed: 1 });
    try {
      const code =
        'const seen = globalThis.seen; globalThis.seen = true; export default () => new Response(String(seen));';
      for (const digest of ['one', 'two'])
        expect(await textOf(runner, functionOf(code, { digest }), requestTo('/'))).toBe('undefined');
      // The same function of the same release, in its own process.
      expect(runner.stats().processes).toBe(2);
    } finally {
      await remove();
    }
  });
});
