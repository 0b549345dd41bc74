import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('strangers and guests of an organization, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, post } = world;

  test('a stranger to an organization is refused once, and offered nothing', async () => {
    const { page, visit, enter } = await world.open();
    await visit('');
    await enter();
    const { orgId, projectId } = await service.project();
    for (const path of ['/rooms/standup', `/rooms/${projectId}`, '/escalations', '/rooms', '/events']) {
      await visit(`/orgs/${orgId}${path}`);
      await page.getByRole('alert').getByText('NOT_AUTHORIZED').first().waitFor();
      // Parts of the page that were refused beside it are gone as soon as the page itself is.
      await expect.poll(() => page.getByRole('alert').count()).toBe(1);
      const offers = page.getByRole('main').getByRole('button', { name: /Send|Raise|New|Add|Join/ });
      await expect.poll(() => offers.count()).toBe(0);
    }
  });

  test('any grant lets a guest speak and ask for a person; answering is for members', async () => {
    const { page, visit, enter, press, fill, address } = await world.open();
    await visit('');
    await enter();
    const shared = await service.project();
    const grant = { wallet: await address(), capability: 'read' };
    await post(`/projects/v1/${shared.projectId}/grants`, grant, shared.wallet);
    await visit(`/orgs/${shared.orgId}/rooms/${shared.projectId}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello from outside');
    await press('Send');
    await page.locator('[data-message]').getByText('Hello from outside').waitFor();
    await visit(`/orgs/${shared.orgId}/escalations`);
    await press('Raise');
    await fill('Reason', 'A guest asks.');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Raise' }).click();
    await page.getByRole('link', { name: 'A guest asks.' }).click();
    await page.getByRole('heading', { level: 1, name: 'A guest asks.' }).waitFor();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    expect(await page.getByRole('button', { name: /Acknowledge|Resolve/ }).count()).toBe(0);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });
});
