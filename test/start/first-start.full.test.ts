import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run as runProgram } from '../../db/embedded/run.ts';
import { findServerUser, ownerOf } from '../../db/embedded/server-user.ts';
import { homeOf, runsAsRoot, serverOf, testFolder } from '../db/fixtures/embedded-harness.ts';
import { createWallet } from '../helpers/wallet.ts';
import { bare, cloneCheckout, run, start } from './checkout.ts';

async function expectToServe(url: string | undefined): Promise<string> {
  expect(url).toMatch(/^http:\/\/localhost:[1-9]\d+$/);
  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(200);
  return url!;
}

test('npm start on an empty folder serves, says where, and a newcomer gets through the first calls', async () => {
  const dataDir = join(await testFolder(), '.svc');
  const gateway = await start({ env: { SVC_DATA_DIR: dataDir } });
  const url = await expectToServe(gateway.url);
  for (const place of [`${url}/graphql`, `${url.replace('http', 'ws')}/graphql`, `${url}/api/health`, dataDir]) {
    expect(gateway.stdout()).toContain(place);
  }
  const health = await fetch(`${url}/api/health`);
  expect(await health.json()).toMatchObject({ ok: true, status: 'ok', checks: { database: 'ok' } });

  const [, command = ''] = /First calls: (.*)/.exec(gateway.stdout()) ?? [];
  expect(command).toBe(`npm run first-calls -- ${url}`);
  const calls = run({ command: ['/bin/sh', '-c', command] });
  expect(await calls.ended).toBe(0);
  expect(calls.stdout()).toMatch(/arrived on the socket +\S+: Hello from REST/);

  const path = join(dataDir, 'admin.key');
  const key = (await readFile(path, 'utf8')).trim();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(gateway.stdout()).toContain(`Admin key      ${key}   (kept in ${path})\n`);
  const records = gateway
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(records.filter((line) => line.includes(key))).toEqual([]);
  const outbox = (given: string) => fetch(`${url}/mail/v1/admin/outbox`, { headers: { 'x-admin-key': given } });
  expect([(await outbox(key)).status, (await outbox(`${key}x`)).status]).toEqual([200, 401]);

  await gateway.stop();
  expect(await serverOf(await homeOf(dataDir))).toBeUndefined();
});

test('a later start finds what the first one kept', async () => {
  const options = { command: bare(), env: { SVC_DATA_DIR: join(await testFolder(), '.svc'), LOG_LEVEL: 'warn' } };
  const wallet = createWallet();
  const call = async (url: string, method: string, path: string) => {
    const headers = { 'sign-in-with-x': await wallet.header({ baseUrl: url, path }) };
    const response = await fetch(url + path, { method, headers });
    return { status: response.status, body: (await response.json()) as { org_id: string } };
  };
  const first = await start(options);
  const made = await call(await expectToServe(first.url), 'POST', '/orgs/v1');
  expect(made.status).toBe(201);
  expect(await first.stop()).toBe(0);

  const second = await start(options);
  const found = await call(await expectToServe(second.url), 'GET', `/orgs/v1/${made.body.org_id}`);
  expect(found).toMatchObject({ status: 200, body: { org_id: made.body.org_id } });
  expect([await second.stop(), first.stderr(), second.stderr()]).toEqual([0, '', '']);
});

test('root, from a clone below a closed folder, is told where the data is', async ({ skip }) => {
  skip(!runsAsRoot, 'Only root has this difficulty: elsewhere Postgres runs as whoever starts the gateway.');
  const clone = await cloneCheckout(0o700);
  const gateway = await start({ cwd: clone });
  await expectToServe(gateway.url);
  const home = await homeOf(join(clone, '.svc'));
  expect(home).toMatch(/^\/var\/lib\/svc-gateway-/);
  expect(gateway.stdout()).toContain(`data in ${home}\n`);
  await gateway.stop();
  expect(await serverOf(home)).toBeUndefined();
});

test('an ordinary user without a home starts it from a clone of his own', async ({ skip }) => {
  skip(!runsAsRoot, 'Only root can become another user; as an ordinary user the other tests show it.');
  const user = await findServerUser();
  const clone = await cloneCheckout(0o755, user);
  skip(!(await runProgram('/bin/cat', [join(clone, 'package.json')], user)).ok, 'Others cannot read this checkout.');
  const npm = (await runProgram('npm', ['--version'], user)).ok;
  const gateway = await start({ cwd: clone, user, command: npm ? ['npm', 'start'] : bare(clone) });
  await expectToServe(gateway.url);
  expect(gateway.stdout()).toContain(`data in ${join(clone, '.svc/postgres')}\n`);
  expect(await ownerOf(join(clone, '.svc/postgres/data'))).toEqual(user);
  await gateway.stop();
  expect(await serverOf(join(clone, '.svc/postgres'))).toBeUndefined();
});
