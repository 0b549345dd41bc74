import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('archives of a project in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { projectId, run, service } = world;
  const archives = `/projects/${projectId}/archives`;
  const rowsOf = (text: string) => service.control.sql<{ id: string; sha256: string }>(text, [projectId]);
  const taken = () => rowsOf(`select id, sha256 from project_archives where project_id = $1 and status = 'ready'`);

  test('a project is exported, downloaded, looked at, and imported once its report was seen', async () => {
    await run('create table notes (n int); insert into notes values (1), (2)');
    const { page, visit, press } = await world.asOwner();
    await visit(archives);
    await page.getByText('No archives yet').waitFor();
    await press('Make the first archive');
    const making = page.getByRole('dialog', { name: 'Export the project' });
    await making.getByText('has no secrets, passwords, passkeys').waitFor();
    await making.getByText('Nobody can sign in by such an id').waitFor();
    await making.getByRole('button', { name: 'Export' }).click();
    const row = page.getByRole('group', { name: 'Archives' }).getByRole('row').filter({ hasText: 'Ids alone' });
    await row.getByText('Ready').waitFor();
    const [coming] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Download' }).click(),
    ]);
    const path = await coming.path();
    const [made] = await taken();
    expect(coming.suggestedFilename()).toBe(`${projectId}-${made!.id}.svcar`);
    expect(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ).toBe(made!.sha256);
    await row.getByRole('button', { name: 'Report' }).click();
    const report = page.getByRole('dialog', { name: 'Report of the archive' });
    await report.getByText(made!.sha256).waitFor();
    await report.getByText('NON_DETERMINISTIC_TABLE_ORDER').waitFor();
    await report.getByRole('button', { name: 'Close' }).last().click();

    await press('Import an archive');
    const choosing = page.getByRole('alertdialog', { name: 'Import an archive' });
    const chosen = async (name: string, bytes: Buffer) => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        choosing.getByRole('button', { name: 'Choose a file' }).click(),
      ]);
      await chooser.setFiles({ name, mimeType: 'application/x-tar', buffer: bytes });
      await choosing.getByText(name).waitFor();
      await choosing.getByRole('button', { name: 'Look at it' }).click();
    };
    // What is none is refused, with the reason.
    await chosen('other.svcar', Buffer.alloc(10_240, 'x'));
    const blocked = page.getByRole('alertdialog', { name: 'The archive cannot be imported' });
    await blocked.getByText('ARCHIVE_MALFORMED_TAR').waitFor();
    await blocked.getByRole('button', { name: 'Choose another file' }).click();
    await choosing.getByLabel('Name of the project').fill('The copy');
    await chosen('shop.svcar', await readFile(path));
    const looked = page.getByRole('alertdialog', { name: 'What would be imported' });
    await looked.getByText('1 table with 2 rows').waitFor();
    const named = () => service.control.sql(`select from projects where name = 'The copy' and deleted_at is null`);
    expect(await named()).toHaveLength(0);
    await looked.getByRole('button', { name: 'Import' }).click();
    const there = page.getByRole('alertdialog', { name: 'The copy is there' });
    await there.getByRole('link', { name: 'Open The copy' }).waitFor();
    expect(await named()).toHaveLength(1);
  });

  test('a viewer sees archives and their reports, and is offered neither bytes nor a change', async () => {
    const { page, visit } = await world.asOwner({}, 'viewer');
    await visit(archives);
    await page.getByRole('button', { name: 'Report' }).first().waitFor();
    expect(await page.getByRole('button', { name: /Download|Export|Import/ }).count()).toBe(0);
  });

  test.each(looks)(
    'archives can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const [made] = await taken();
      await expectUsable(world.asOwner, look, [
        { path: archives, sign: 'Export the project' },
        { path: `${archives}?dialog=create`, sign: 'has no secrets' },
        { path: `${archives}?dialog=import`, sign: 'Choose a file' },
        { path: `${archives}?dialog=report&archive=${made!.id}`, sign: 'SHA-256 of the file' },
      ]);
    },
    120_000,
  );
});
