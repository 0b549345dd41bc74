import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('further keys of a project in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, post, asOwner } = world;
  const keys = `/projects/${projectId}/keys`;

  test('a key is made and shown once, opens the project, and is replaced and revoked', async () => {
    const reads = async (key: string) =>
      (await service.call(service.actors.apikey(key), 'GET', `/projects/v1/${projectId}`)).status;
    const { page, visit, press, fill } = await asOwner();
    await visit(keys);
    await page.getByText('No further key yet').waitFor();
    await press('New key');
    await fill('Name', 'worker');
    await press('Create key');
    const shown = page.getByRole('alertdialog', { name: 'The new key' });
    const keyOf = async () => {
      await shown.getByRole('button', { name: 'Show key' }).click();
      const key = (await shown.getByRole('code').textContent())!;
      await shown.getByRole('button', { name: 'Done' }).click();
      await shown.waitFor({ state: 'detached' });
      return key;
    };
    const first = await keyOf();
    expect(await reads(first)).toBe(200);
    await page.reload();
    const row = page.getByRole('group', { name: 'Further keys' }).locator('tbody tr');
    await row.getByText('worker').first().waitFor();
    expect(await page.getByText(first).count()).toBe(0);
    await row.getByRole('button', { name: /^Replace/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace key' }).click();
    const second = await keyOf();
    expect([await reads(first), await reads(second)]).toEqual([401, 200]);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await reads(second)).toBe(401);
    await page.getByText('Show what was revoked').click();
    await row.getByText('replaced').waitFor();
    await row.getByText('revoked').waitFor();
  });

  test.each(looks)(
    'keys can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await post(`/projects/v1/${projectId}/credentials`, { kind: 'anon', name: crypto.randomUUID() });
      await expectUsable(asOwner, look, [
        { path: keys, sign: 'Anon' },
        { path: `${keys}?new=key`, sign: 'What uses it' },
      ]);
    },
    120_000,
  );
});
