import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { functionOf, handler, makeRunner, requestTo, textOf } from './functions.ts';

const folder = await mkdtemp(join(tmpdir(), 'svc-leftovers-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const runner = new URL('../../engines/sandbox/local-runner.ts', import.meta.url);

/** A gateway, as far as it runs functions: what it prints first is what `more` has it print. */
function startOther(parent: string, more: string, env = process.env) {
  const program = `
    const { createLocalRunner } = await import(${JSON.stringify(runner.href)});
    const start = (options) => createLocalRunner(
      { folder: ${JSON.stringify(parent)}, events: { onLog: ({ text }) => console.log(text), onFailure() {} }, ...options });
    setInterval(() => {}, 1_000);
    ${more}`;
  return spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
}

test('what a killed gateway left of its boxes is removed, and nothing of one that lives', async () => {
  const child = startOther(folder, `await start(); console.log('ready');`);
  await once(child.stdout, 'data');
  const [left] = await readdir(folder);
  const living = await makeRunner({ folder });
  try {
    expect(await readdir(folder)).toEqual(expect.arrayContaining([left]));
    child.kill('SIGKILL');
    await once(child, 'close');
    const next = await makeRunner({ folder });
    try {
      const names = await readdir(folder);
      expect(names).toHaveLength(2);
      expect(names).not.toContain(left);
      const fn = functionOf(handler(`return new Response('here');`));
      expect(await textOf(living.runner, fn, requestTo('/'))).toBe('here');
    } finally {
      await next.remove();
    }
  } finally {
    await living.remove();
  }
  expect(await readdir(folder)).toEqual([]);
});

test('a folder may be named from where the gateway was started, as the usual one is', async () => {
  const below = await mkdtemp('node_modules/.cache/svc-relative-');
  const { runner, remove } = await makeRunner({ folder: below });
  try {
    const fn = functionOf(handler(`return new Response('here');`));
    expect(await textOf(runner, fn, requestTo('/'))).toBe('here');
  } finally {
    await remove();
    await rm(below, { recursive: true, force: true });
  }
});

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
const hasUmount = ['/usr/sbin/umount', '/sbin/umount'].some((path) => existsSync(path));

// Where setpriv is there and umount is not, no box can be made. Folders for root are always looked into, so that a machine
// that has umount there makes boxes all the same.
test.skipIf(setpriv === undefined || hasUmount)(
  'a function that runs without isolation ends with the gateway, whatever it is doing',
  async () => {
    const parent = await mkdtemp(join(tmpdir(), 'svc-trusted-'));
    const tools = join(parent, 'tools');
    await mkdir(tools);
    await symlink(setpriv!, join(tools, 'setpriv'));
    const code = handler('console.log(process.pid); for (;;);');
    const more = `
      const runner = await start({ trusted: true });
      const fn = ${JSON.stringify({ ...functionOf(''), code: undefined })};
      runner.call({ ...fn, code: { bytes: Buffer.from(${JSON.stringify(code)}) } }, ${JSON.stringify(requestTo('/'))})
        .catch((error) => console.log(JSON.stringify(error.failure)));`;
    const child = startOther(parent, more, { PATH: tools });
    const [said] = await once(child.stdout, 'data');
    const pid = Number(said);
    expect(pid, String(said)).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    await rm(parent, { recursive: true, force: true });
  },
);

function isRunning(pid: number): boolean {
  try {
    // One that has ended and was not waited for is none.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
