import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('live rows of the table editor in Chromium', async () => {
  const world = await startConsoleWorld();
  const { projectId, run, tables, asOwner } = world;
  beforeAll(tables);

  test('rows show up as they are written, and the anon key sees fewer of them', async () => {
    const { page, visit } = await asOwner();
    await visit(`/projects/${projectId}/tables?table=notes`);
    await page.getByText('No rows').waitFor();
    await run("insert into notes (body) values ('the first')");
    const rows = page.getByRole('grid', { name: 'Rows of notes' });
    await rows.getByText('the first').waitFor();
    await run("update notes set body = 'the second'");
    await rows.getByText('the second').waitFor();
    expect(await rows.getByText('the first').count()).toBe(0);

    await run("insert into tasks (body) values ('hidden')");
    await page.getByRole('link', { name: 'tasks' }).click();
    await page.getByRole('grid', { name: 'Rows of tasks' }).getByText('hidden').waitFor();
    await page.getByRole('button', { name: /View as$/ }).click();
    await page.getByRole('option', { name: 'Anon key' }).click();
    await page.getByText('No rows').waitFor();
  });

  test('a long text goes to the row that it was opened in, while rows come above it, and stays when that row is gone', async () => {
    await run(`delete from notes; insert into notes (body) values ('${'long '.repeat(20)}')`);
    const { page, visit } = await asOwner();
    await visit(`/projects/${projectId}/tables?table=notes&order=id.desc`);
    const rows = page.getByRole('grid', { name: 'Rows of notes' });
    const open = async () => {
      await rows.getByText('long long').dblclick();
      const editor = page.getByRole('dialog').getByRole('textbox', { name: /^body of row/ });
      await editor.click();
      await page.keyboard.press('ControlOrMeta+Home');
    };
    await open();
    await page.keyboard.type('Mine: ');
    await run("insert into notes (body) values ('the later one')");
    await rows.getByText('the later one').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await rows.getByText(/^Mine: long/).waitFor();
    const { service } = world;
    // The grid shows what was typed before the database has it.
    const bodies = async () => {
      const body = { sql: 'select left(body, 10) as body from notes order by id' };
      return (await service.call<{ rows: unknown }>(world.key, 'POST', `/projects/v1/admin/${projectId}/sql`, { body }))
        .body.rows;
    };
    await expect.poll(bodies).toEqual([{ body: 'Mine: long' }, { body: 'the later ' }]);
    // A value on its way cannot be changed again.
    await expect.poll(() => rows.locator('.pending').count()).toBe(0);

    await open();
    await page.keyboard.type('Again: ');
    await run("delete from notes where body like 'Mine%'");
    await rows.getByText(/^Mine/).waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('The row is no longer here').waitFor();
    await page.getByRole('dialog').getByText('Again: Mine').waitFor();
  });
});
