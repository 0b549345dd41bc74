import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('branches of a project in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { projectId, run } = world;
  const branches = `/projects/${projectId}/branches`;

  test('a branch is made, shows its keys, is renewed and deleted', async () => {
    await run('create table notes (n int); insert into notes values (1)');
    const { page, visit, press } = await world.asOwner();
    await visit(branches);
    await page.getByText('No branches yet').waitFor();
    await press('Create the first branch');
    const dialog = page.getByRole('alertdialog', { name: 'Create a branch' });
    await dialog.getByLabel('Name').fill('Try it');
    await dialog.getByRole('button', { name: 'Create branch' }).click();
    const made = page.getByRole('alertdialog', { name: 'Try it is there' });
    await made.getByText('Service key').waitFor();
    await made.getByText('Rows are copies').waitFor();
    await made.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('group', { name: 'Branches' }).getByRole('row').filter({ hasText: 'Try it' });
    await row.getByText('Active').waitFor();
    await row.getByRole('button', { name: 'Renew' }).click();
    await page.getByText('Try it is kept for another 7 days.').waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete Try it?' });
    await question.getByRole('button', { name: 'Delete branch' }).click();
    await row.waitFor({ state: 'detached' });
  });

  test('a viewer sees branches and is offered no change', async () => {
    const { page, press, visit } = await world.asOwner();
    await visit(branches);
    await press('Create a branch');
    await page.getByRole('button', { name: 'Create branch' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const viewer = await world.asOwner({}, 'viewer');
    await viewer.visit(branches);
    await viewer.page.getByText('Active').waitFor();
    expect(await viewer.page.getByRole('button', { name: /Renew|Delete|Create/ }).count()).toBe(0);
  });

  test.each(looks)(
    'branches can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const [one] = await world.service.control.sql<{ id: string }>(
        `select id from project_branches where parent_id = $1 limit 1`,
        [projectId],
      );
      await expectUsable(world.asOwner, look, [
        { path: branches, sign: 'Create a branch' },
        { path: `${branches}?dialog=create`, sign: 'Days until it is deleted' },
        { path: `${branches}?dialog=delete&branch=${one!.id}`, sign: 'gone for good' },
      ]);
    },
    120_000,
  );
});
