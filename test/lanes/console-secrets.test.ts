import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('secrets of a project in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, post, key, asOwner } = world;
  const secrets = `/projects/${projectId}/secrets`;
  const set = (name: string, value: string) =>
    post(`/projects/v1/admin/${projectId}/secrets`, { key: name, value }, key);
  const keys = async () => {
    const { body } = await service.call<{ secrets: { key: string; updated_at: string }[] }>(
      key,
      'GET',
      `/projects/v1/admin/${projectId}/secrets`,
    );
    return new Map(body.secrets.map((one) => [one.key, one.updated_at]));
  };

  test('a secret is set, replaced and deleted, and its value is shown nowhere', async () => {
    const { page, visit, press, fill } = await asOwner();
    const dialog = page.getByRole('alertdialog');
    await visit(secrets);
    await page.getByText('No secrets yet').waitFor();
    await press('Set the first secret');
    await fill('Key', 'svc_own');
    await fill('Value', 'value-one');
    await dialog.getByRole('button', { name: 'Set secret' }).click();
    await dialog.getByText('RESERVED_SECRET_KEY').waitFor();
    // What was typed stays, and is written as keys are.
    await fill('Key', 'stripe key');
    await dialog.getByRole('button', { name: 'Set secret' }).click();
    const row = page.getByRole('group', { name: 'Secrets' }).getByRole('row').filter({ hasText: 'STRIPE_KEY' });
    await row.waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('value-one');
    const before = (await keys()).get('STRIPE_KEY');
    await row.getByRole('button', { name: 'Replace STRIPE_KEY' }).click();
    await fill('Value', 'value-two');
    await dialog.getByRole('button', { name: 'Replace value' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await keys()).get('STRIPE_KEY')).not.toBe(before);
    await row.getByRole('button', { name: 'Delete STRIPE_KEY' }).click();
    await dialog.getByRole('button', { name: 'Delete secret' }).click();
    await page.getByText('No secrets yet').waitFor();
    expect([...(await keys()).keys()]).toEqual([]);
  });

  test('a key that is there is replaced knowingly, and an old value asks for another', async () => {
    await set('OLD_KEY', 'one');
    await set('NEW_KEY', 'two');
    await service.control.sql(
      `update project_secrets set updated_at = now() - interval '91 days' where project_id = $1 and key = 'OLD_KEY'`,
      [projectId],
    );
    const { page, visit, press, fill } = await asOwner();
    await visit(secrets);
    await page.getByText('One value is older than 90 days').waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'rotate' }).count()).toBe(1);
    await press('Set secret');
    await fill('Key', 'OLD_KEY');
    await page.getByText('its value is replaced').waitFor();
    await fill('Value', 'three');
    await press('Replace value');
    await page.getByText('One value is older than 90 days').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Find a key' }).fill('new');
    await page.getByRole('row').filter({ hasText: 'OLD_KEY' }).waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'NEW_KEY' }).waitFor();
  });

  test('a viewer is told who sees secrets, and the menu offers them none', async () => {
    const { page, visit } = await asOwner({}, 'viewer');
    await visit(secrets);
    await page.getByText('You cannot see the secrets').waitFor();
    expect(await page.getByRole('link', { name: 'Secrets' }).count()).toBe(0);
  });

  test('the palette leads to the page and sets a secret', async () => {
    const { page, visit } = await asOwner();
    await visit(`/projects/${projectId}`);
    await page.getByRole('link', { name: 'Secrets' }).waitFor();
    const palette = page.getByRole('dialog', { name: 'Search or run a command' });
    const find = async (text: string, entry: string) => {
      await page.keyboard.press('Control+k');
      await palette.waitFor();
      await page.keyboard.type(text);
      await expect
        .poll(() => palette.getByRole('menuitem').first().locator('[slot=label]').textContent())
        .toMatch(entry);
      await page.keyboard.press('Enter');
    };
    await find('environment variables', 'Secrets');
    await page.getByRole('heading', { level: 1, name: 'Secrets' }).waitFor();
    await page.getByRole('button', { name: 'Set secret' }).waitFor();
    await find('set a secret', 'Set a secret');
    await page.getByRole('alertdialog', { name: 'Set a secret' }).waitFor();
  });

  test.each(looks)(
    'secrets can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await set('DATABASE_URL_OF_THE_WAREHOUSE', 'x');
      await expectUsable(asOwner, look, [
        { path: secrets, sign: 'DATABASE_URL_OF_THE_WAREHOUSE' },
        { path: `${secrets}?dialog=set`, sign: 'At most 4,096 bytes' },
        { path: `${secrets}?dialog=delete&key=DATABASE_URL_OF_THE_WAREHOUSE`, sign: 'cannot be brought back' },
      ]);
    },
    120_000,
  );
});
