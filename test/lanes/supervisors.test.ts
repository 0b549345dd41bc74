import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tiniProgram } from '../../scripts/lane-programs.ts';
import { homeOf, serverOf, testFolder } from '../db/fixtures/embedded-harness.ts';
import { checkout, start } from '../start/checkout.ts';

const systemd = spawnSync('systemctl', ['is-system-running'], { encoding: 'utf8' });
const runsSystemd = /running|degraded/.test(systemd.stdout ?? '');

/** Starts `npm start` below a supervisor, signals that one alone, and looks at what is left. */
async function stopped(program: string, args: readonly string[]) {
  const dataDir = join(await testFolder(), '.svc');
  const env = { SVC_DATA_DIR: dataDir };
  const gateway = await start({ command: [program, ...args, 'npm', 'start'], env });
  expect(gateway.url, gateway.stderr()).toBeDefined();
  process.kill(gateway.pid, 'SIGTERM');
  const code = await gateway.ended;
  await expect(fetch(`${gateway.url}/readyz`)).rejects.toThrow();
  return { code, postgres: await serverOf(await homeOf(dataDir)) };
}

test.skipIf(tiniProgram() === undefined)('tini, which signals its child alone, ends all of npm start', async () => {
  expect(await stopped(tiniProgram()!, ['-s', '--'])).toEqual({ code: 0, postgres: undefined });
});

test.skipIf(!runsSystemd)('systemd ends all of npm start', async () => {
  const pass = ['PATH', 'PORT', 'SVC_DATA_DIR'].flatMap((name) => ['-E', name]);
  const place = ['--pipe', '--wait', '--collect', `--working-directory=${checkout}`];
  expect(await stopped('systemd-run', [...place, ...pass])).toMatchObject({ postgres: undefined });
});

test.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('the documented unit is one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-unit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const unit = await readFile(join(checkout, 'docs/running/svc-gateway.service'), 'utf8');
  expect(unit).toContain('ExecStart=/opt/svc-gateway/');
  const path = join(folder, 'svc-gateway.service');
  await writeFile(path, unit.replaceAll('/opt/svc-gateway', checkout.replace(/\/$/, '')));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
});
