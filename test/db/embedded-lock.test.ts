import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireFolderLock } from '../../db/embedded/folder-lock.ts';
import { identifyProcess, isRunning, readPs } from '../../db/embedded/process-identity.ts';
import { idleProgram, testFolder, until } from './fixtures/embedded-harness.ts';

/** A lock whose holder is gone, as kill -9 leaves it. */
async function deadHolder(token: string): Promise<string> {
  const child = spawn('true');
  await once(child, 'exit');
  return JSON.stringify({ pid: child.pid, startedAt: 'long ago', token });
}

const contend = async (folder: string, times: number) => {
  const outcomes = await Promise.allSettled(Array.from({ length: times }, () => acquireFolderLock(folder)));
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
};

test('a lock that is released can be taken again, and leaves nothing in the folder', async () => {
  const folder = await testFolder();
  const lock = await acquireFolderLock(folder);
  await expect(acquireFolderLock(folder)).rejects.toThrow(`in use by process ${process.pid};`);
  await lock.release();
  const next = await acquireFolderLock(folder);
  await lock.release(); // the second time: it must not take away what is another's by now
  await expect(acquireFolderLock(folder)).rejects.toThrow('in use');
  await next.release();
  expect(await readdir(folder)).toEqual([]);
});

test('many that find the same dead holder at once: exactly one replaces it', async () => {
  for (let round = 0; round < 6; round += 1) {
    const folder = await testFolder();
    await writeFile(join(folder, 'gateway.lock'), await deadHolder('dead'));
    const held = await contend(folder, 30);
    expect(held).toHaveLength(1);
    await held[0]!.release();
    expect(await readdir(folder)).toEqual([]);
  }
});

test('one that died while it was replacing a dead holder is replaced as well', async () => {
  const folder = await testFolder();
  await writeFile(join(folder, 'gateway.lock'), await deadHolder('first'));
  await writeFile(join(folder, 'gateway.lock.first'), await deadHolder('second'));
  await writeFile(join(folder, 'gateway.lock.second'), await deadHolder('third'));
  const held = await contend(folder, 30);
  expect(held).toHaveLength(1);
  await held[0]!.release();
  expect(await readdir(folder)).toEqual([]);
});

test('never two holders at a time, however often it changes hands', async () => {
  const folder = await testFolder();
  let holders = 0;
  let turns = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (turns < 200) {
        const lock = await acquireFolderLock(folder).catch(() => undefined);
        if (lock === undefined) continue;
        holders += 1;
        turns += 1;
        expect(holders).toBe(1);
        await new Promise(setImmediate);
        holders -= 1;
        await lock.release();
      }
    }),
  );
});

test('a holder whose pid was given to another process is dead, and so is one that cannot be read', async () => {
  const folder = await testFolder();
  const path = join(folder, 'gateway.lock');
  await writeFile(path, JSON.stringify({ pid: process.pid, startedAt: 'at another time', token: 'old' }));
  await (await acquireFolderLock(folder)).release();
  await writeFile(path, '{"pid":');
  await (await acquireFolderLock(folder)).release();
});

test('a process is known by its start: the same one stays the same, a later one with its pid is another', async () => {
  const program = await idleProgram();
  const identity = (await identifyProcess(program.pid!))!;
  expect(await identifyProcess(program.pid!)).toEqual(identity);
  expect(await isRunning(identity)).toBe(true);
  expect(await isRunning({ ...identity, startedAt: 'before' })).toBe(false);
  program.kill('SIGKILL');
  await until(async () => !(await isRunning(identity)));
});

test.skipIf(process.platform === 'win32')('where there is no /proc, ps tells the same', async () => {
  const program = await idleProgram();
  const first = await readPs(program.pid!);
  expect(first?.startedAt).toMatch(/\d\d:\d\d:\d\d \d{4}$/);
  expect(first?.state).toMatch(/^[A-Z]$/);
  program.kill('SIGKILL');
  await once(program, 'exit');
  expect(await readPs(program.pid!)).toBeUndefined();
});
