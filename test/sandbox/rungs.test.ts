import { expect, test, vi } from 'vitest';
import type { LocalRunnerOptions } from '../../engines/sandbox/local-runner.ts';
import { failureOf, functionOf, handler, makeRunner, requestTo, textOf } from './functions.ts';

/** A runner on a machine that lacks what boxes are made with. */
async function withoutTools(options: Partial<LocalRunnerOptions> = {}) {
  vi.stubEnv('PATH', '/absent');
  try {
    return await makeRunner(options);
  } finally {
    vi.unstubAllEnvs();
  }
}

const fn = functionOf(
  handler(`console.log('printed'); const read = () => { try { return require('fs').readFileSync('/etc/hostname', 'utf8'); } catch (error) { return error.code; } };
    return Response.json([process.env.SECRET, await request.text(), read(), process.env.PATH ?? 'none']);`).replace(
    'export',
    `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); export`,
  ),
  { environment: { SECRET: 's' } },
);
const call = requestTo('/', { method: 'POST', body: Buffer.from('body') });

test('where no box can be made no function runs, and the reason is told', async () => {
  const { runner, remove } = await withoutTools();
  try {
    expect(runner.probe).toMatchObject({ rung: 'process', reason: expect.stringContaining('is not installed') });
    expect(runner.stats().rung).toBe('process');
    expect(await failureOf(runner.call(fn, call))).toMatchObject({
      kind: 'load_failed',
      reason: expect.stringContaining('is not installed'),
    });
  } finally {
    await remove();
  }
});

test('functions that the operator trusts run there behind the second wall', async () => {
  const { runner, lines, remove } = await withoutTools({ trusted: true });
  try {
    expect(JSON.parse(await textOf(runner, fn, call))).toEqual(['s', 'body', 'ERR_ACCESS_DENIED', 'none']);
    await expect.poll(() => lines.map(({ text, requestId }) => [text, requestId])).toEqual([['printed', 'req_']]);
    const loop = functionOf(handler('for (;;);'));
    await runner.load(loop);
    const late = runner.call(loop, requestTo('/', { deadline: Date.now() + 300 }));
    expect(await failureOf(late)).toMatchObject({ kind: 'timeout' });
  } finally {
    await remove();
  }
});

test.runIf(process.platform === 'linux')('code that cannot be read is told, and its process is not used', async () => {
  const { runner, remove } = await makeRunner({ prewarmed: 0 });
  try {
    const absent = { ...functionOf(''), code: { path: '/absent/code.mjs' } };
    expect(await failureOf(runner.load(absent))).toMatchObject({
      kind: 'load_failed',
      reason: expect.stringContaining('ENOENT'),
    });
    await expect.poll(() => runner.stats().processes).toBe(0);
  } finally {
    await remove();
  }
});
