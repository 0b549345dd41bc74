import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { killGateways, temporaryFolder } from '../helpers/gateway-process.ts';
import { passphrase, runProgram, secretKey, serve, sql, startWorld } from './stage.ts';

const folder = await temporaryFolder();
afterAll(async () => {
  await killGateways();
  await folder.remove();
});

test('an installation that serves is backed up, and restored into an empty folder with rows, keys and members', async () => {
  const [source, target, backups] = ['source', 'target', 'backups'].map((name) => join(folder.path, name));
  await mkdir(source!);
  const world = await startWorld(source!);
  await sql(world, `create table notes (id int primary key, body text); insert into notes values (1, 'kept')`);
  const env = { SVC_SECRET_KEY: secretKey, SVC_BACKUP_PASSPHRASE: passphrase };
  const saved = await runProgram('backup', [backups!], { dataDir: source!, env });
  expect(saved.result).toMatchObject({ databases: 2, missing: [], left_out: [] });
  expect(await world.gateway.stop()).toBe(0);

  const restored = await runProgram('restore', [backups!], { dataDir: target!, env });
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  const gateway = await serve(target!);
  const again = { ...world, gateway };
  expect(await sql(again, 'select * from notes')).toMatchObject({ rows: [{ id: 1, body: 'kept' }] });
  const byKey = { headers: async () => ({ apikey: world.serviceKey }) };
  expect(await gateway.call(byKey, 'GET', '/admin/v1/rest/notes')).toMatchObject({
    status: 200,
    body: [{ body: 'kept' }],
  });
  expect(await gateway.stop()).toBe(0);
});
