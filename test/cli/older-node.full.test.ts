import { execFile, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A Node.js of the machine that is older than the package asks for. */
const older = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const { stdout } = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return typeof stdout === 'string' && Number.parseInt(stdout, 10) < 22;
});

describe.skipIf(older === undefined)('the package in a shell whose Node.js is too old', () => {
  let folder: string;
  const svc = (...words: string[]) =>
    run(older!, [join(folder, 'dist', 'main.js'), ...words], {
      env: { PATH: process.env.PATH, HOME: folder, SVC_CONFIG_DIR: join(folder, 'config') },
    }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
    await run(process.execPath, [join(root, 'scripts/build-cli.ts'), join(folder, 'dist')]);
    await copyFile(join(root, 'clients/cli/package.json'), join(folder, 'package.json'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('says what it needs where there is no other', async () => {
    const { code, stdout, stderr } = await svc('wallets', 'current');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      status: 'error',
      code: 'LOCAL_ERROR',
      hint: expect.stringContaining('22'),
    });
  });

  test('goes on with the one of the clone, with its words, output and exit code', async () => {
    await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
    await symlink(process.execPath, join(folder, 'node_modules', '.bin', 'node'));
    const there = await svc('wallets', 'current');
    expect(JSON.parse(there.stdout)).toEqual({ name: 'default', address: null });
    const refused = await svc('messages', 'list', '--watch');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr).code).toBe('ROOM_REQUIRED');
  });

  test('goes on by its own account where the one of the clone does not run, and says what ended it', async () => {
    const node = join(folder, 'node_modules', '.bin', 'node');
    await rm(node);
    await writeFile(node, 'not a program', { mode: 0o644 });
    const refused = await svc('wallets', 'current');
    expect({ code: refused.code, told: JSON.parse(refused.stderr).code }).toEqual({ code: 1, told: 'LOCAL_ERROR' });
    await writeFile(node, '#!/bin/sh\nkill -KILL $$\n');
    await chmod(node, 0o755);
    expect((await svc('wallets', 'current')).code).toBe(128 + 9);
  });
});
