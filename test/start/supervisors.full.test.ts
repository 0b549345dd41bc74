import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf, serverOf, testFolder, until } from '../db/fixtures/embedded-harness.ts';
import { run, start } from './checkout.ts';

// A supervisor signals the one process that it started. checkout.ts ends what a test leaves of the group.

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  const taken = await Promise.race([once(probe, 'listening').then(() => false), once(probe, 'error').then(() => true)]);
  probe.close();
  return !taken;
}

async function startIn(...around: readonly string[]) {
  const dataDir = join(await testFolder(), '.svc');
  const [program, ...args] = [...around, 'npm', 'start'];
  const gateway = await start({ command: [program!, ...args], env: { SVC_DATA_DIR: dataDir } });
  expect(gateway.url, gateway.stderr()).toBeDefined();
  const left = async () => ({
    free: await isFree(Number(new URL(gateway.url!).port)),
    postgres: await serverOf(await homeOf(dataDir)),
  });
  return { ...gateway, left };
}

const nothing = { free: true, postgres: undefined };

test('SIGTERM to the process of npm start alone, as timeout --foreground sends it, ends the gateway and its PostgreSQL first', async () => {
  const { pid, ended, left } = await startIn('timeout', '--foreground', '--preserve-status', '1d');
  process.kill(pid, 'SIGTERM');
  expect(await ended).toBe(0);
  expect(await left()).toEqual(nothing);
});

test('when npm is killed without warning, the gateway stops in order by itself', async () => {
  const { pid, ended, left, stdout } = await startIn();
  process.kill(pid, 'SIGKILL');
  // Its output closes when the gateway has ended, too.
  await ended;
  expect(await left()).toEqual(nothing);
  expect(stdout()).toContain('"reason":"SIGTERM"');
});

test('npm start in the background outlives the shell it was started in, and SIGTERM to npm run example ends the example', async () => {
  const { url, pid, stop, left } = await startIn('/bin/sh', '-c', '"$@" & exit 0', 'sh');
  await until(async () => !isAlive(pid));
  const example = run({ command: ['npm', 'run', 'example', '--', url!], env: { PAGE_PORT: '0' } });
  await until(async () => example.stdout().includes('Notes are at'));
  const page = /Notes are at (\S+)/.exec(example.stdout())![1]!;
  expect((await fetch(page)).status).toBe(200);
  process.kill(example.pid, 'SIGTERM');
  await example.ended;
  await expect(fetch(page)).rejects.toThrow();
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await stop();
  expect(await left()).toEqual(nothing);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
