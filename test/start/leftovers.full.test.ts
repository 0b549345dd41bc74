import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning } from '../../db/embedded/process-identity.ts';
import { exists, homeOf, serverOf, testFolder, until } from '../db/fixtures/embedded-harness.ts';
import { bare, run, start } from './checkout.ts';

const optionsFor = (dataDir: string) => ({ bundled: true, env: { SVC_DATA_DIR: dataDir } });

// How far a first start has come when it is killed.
test.each<[string, (home: string, said: string) => boolean | Promise<boolean>]>([
  ['its root secret alone', async (home) => exists(join(home, '..', 'secret.key'))],
  [
    'a database folder that is half made',
    async (home) => (await entries(home)).some((name) => name.startsWith('tmp-')),
  ],
  ['a database that no server has run on', async (home) => exists(join(home, 'data'))],
  ['a server without the control database', (_home, said) => said.includes('started Postgres')],
  ['everything', (_home, said) => said.includes('First calls')],
])('a first start that is killed with %s behind it is made good by the next', async (_stage, reached) => {
  const dataDir = join(await testFolder(), '.svc');
  const first = run(optionsFor(dataDir));
  await until(async () => reached(await homeOf(dataDir), first.stdout()));
  await first.kill();

  const second = await start(optionsFor(dataDir));
  expect(second.stderr()).toBe('');
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  expect(await second.stop()).toBe(0);
  expect(await serverOf(await homeOf(dataDir))).toBeUndefined();
});

test('pid files of a gateway and a Postgres that were both killed do not stand in the way', async () => {
  const dataDir = join(await testFolder(), '.svc');
  const options = { command: bare(), env: { SVC_DATA_DIR: dataDir } };
  const first = await start(options);
  expect(first.url).toBeDefined();
  const home = await homeOf(dataDir);
  const server = (await serverOf(home))!;
  await first.kill();
  process.kill(server.pid, 'SIGKILL');
  await until(async () => !(await isRunning(server)));
  expect(await Promise.all([join(home, 'gateway.lock'), join(home, 'data', 'postmaster.pid')].map(exists))).toEqual([
    true,
    true,
  ]);

  const second = await start(options);
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  expect(await second.stop()).toBe(0);
});

const entries = (folder: string) => readdir(folder).catch(() => [] as string[]);
