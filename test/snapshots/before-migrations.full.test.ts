import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { type Any, copying } from './stage.ts';

const service = await sharedService();
afterAll(() => service.stop());

test('a deploy takes a snapshot before its migrations, which the way back names', async () => {
  const one = await copying(service);
  const { mine } = one;
  const migrations = [{ id: '001', sql: 'create table notes (id int)' }];
  const first = await mine.deploy({ database: { migrations } });
  // There was nothing to be lost.
  expect(first).not.toHaveProperty('restore_point');
  await one.sql('insert into notes values (1)');
  const drop = { id: '002', sql: 'drop table notes' };
  const second = await mine.deploy({ database: { migrations: [...migrations, drop] } });
  const { restore_point: point } = second;
  expect(point).toEqual({
    snapshot_id: expect.stringMatching(/^snap_/),
    restore_url: `/projects/v1/${one.projectId}/snapshots/${point.snapshot_id}/restore`,
  });
  expect((await one.call('GET', `/${point.snapshot_id}`)).body).toMatchObject({
    kind: 'pre_migration',
    status: 'ready',
    operation_id: second.operation_id,
    live_release_id: first.release_id,
  });
  const promote = (allowed: readonly string[]) =>
    service.call<Any>(one.wallet, 'POST', `/apply/v1/releases/${first.release_id}/promote`, {
      body: { project: one.projectId, allow_warning_codes: allowed },
    });
  const refused = await promote([]);
  expect(refused.body).toMatchObject({
    code: 'PROMOTE_WARNING_REQUIRES_ACK',
    details: {
      warnings: [{ code: 'MIGRATIONS_NOT_REVERSIBLE', affected: ['002'], details: { restore_point: point } }],
    },
  });
  expect((await promote(['MIGRATIONS_NOT_REVERSIBLE'])).status).toBe(200);
  expect(await one.restore(point.snapshot_id)).toMatchObject({ status: 'ready', migration_registry_rows: 1 });
  expect((await one.sql('select id from notes')).rows).toEqual([{ id: 1 }]);
  // What was taken back is new again.
  const again = await mine.deploy({ database: { migrations: [...migrations, { ...drop, sql: 'select 2' }] } });
  expect(again).toMatchObject({ status: 'ready' });
});
