import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('snapshots of a project in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { projectId, run } = world;
  const snapshots = `/projects/${projectId}/snapshots`;
  /** The snapshot that the restore took first. */
  const replaced = (page: Page) => page.getByRole('row').filter({ hasText: 'Before a restore' }).first();
  const rows = async () => ((await run('select n from notes order by n')) as unknown as { rows: object[] }).rows;

  test('a snapshot is taken, restored once somebody has read what is lost, and deleted', async () => {
    await run('create table notes (n int); insert into notes values (1)');
    const { page, visit, press } = await world.asOwner();
    const dialog = page.getByRole('alertdialog', { name: 'Restore this snapshot?' });
    const question = page.getByRole('alertdialog', { name: 'Delete this snapshot?' });
    await visit(snapshots);
    await page.getByText('No snapshots yet').waitFor();
    await press('Take the first snapshot');
    const row = page.getByRole('group', { name: 'Snapshots' }).getByRole('row').filter({ hasText: 'By hand' });
    await row.getByText('Ready').waitFor();
    await run('insert into notes values (2)');
    await row.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByText('1 tables with 1 rows').waitFor();
    const restore = dialog.getByRole('button', { name: 'Restore the database' });
    expect(await restore.isDisabled()).toBe(true);
    await dialog.getByText('I know what is lost').click();
    await restore.click();
    await dialog.waitFor({ state: 'detached' });
    expect(await rows()).toEqual([{ n: 1 }]);
    await replaced(page).waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Delete snapshot' }).click();
    await row.waitFor({ state: 'detached' });
  });

  test('a viewer sees snapshots and is offered no change', async () => {
    const { page, visit } = await world.asOwner({}, 'viewer');
    await visit(snapshots);
    await replaced(page).waitFor();
    expect(await page.getByRole('button', { name: /Restore|Delete|Take/ }).count()).toBe(0);
  });

  test.each(looks)(
    'snapshots can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const [one] = await world.service.control.sql<{ id: string }>(
        `select id from project_snapshots where project_id = $1 and status = 'ready' limit 1`,
        [projectId],
      );
      await expectUsable(world.asOwner, look, [
        { path: snapshots, sign: 'Take a snapshot' },
        { path: `${snapshots}?dialog=restore&snapshot=${one!.id}`, sign: 'What is lost' },
        { path: `${snapshots}?dialog=delete&snapshot=${one!.id}`, sign: 'is gone for good' },
      ]);
    },
    120_000,
  );
});
