import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('lists of the console and the ways to them, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, post } = world;

  /** The console of a member of somebody else’s organization, with what there is. */
  async function inOrganization(role = 'owner') {
    const project = await service.project();
    const opened = await world.open();
    await opened.visit('');
    await opened.enter();
    const body = { wallet: await opened.address(), role };
    await post(`/orgs/v1/${project.orgId}/members`, body, project.wallet);
    return { ...project, ...opened };
  }

  test('a project that was shared is found, without the name of its organization, and offers what a grant opens', async () => {
    const guest = await world.open();
    await guest.visit('');
    await guest.enter();
    const shared = await service.project();
    const grant = { wallet: await guest.address(), capability: 'read' };
    await post(`/projects/v1/${shared.projectId}/grants`, grant, shared.wallet);
    const { page, visit } = guest;
    await visit('/orgs');
    await page.getByRole('group', { name: 'Shared projects' }).getByRole('link').click();
    await page.waitForURL(`**/console/projects/${shared.projectId}`);
    await page.getByText('you are no member of the organization that has it').waitFor();
    const where = page.getByRole('navigation', { name: 'Where you are' });
    await expect.poll(() => where.getByRole('link').allTextContents()).toEqual(['Shared with you']);
    const menu = page.getByRole('navigation', { name: 'Console' });
    await menu.getByRole('link', { name: 'Errors' }).waitFor();
    expect(await page.getByRole('link', { name: 'Tables' }).count()).toBe(0);
    expect(await menu.getByRole('heading').allTextContents()).toEqual(['Project']);
    expect(await page.getByRole('button', { name: 'Get the keys' }).count()).toBe(0);
    expect(await page.getByText('Delete the project').count()).toBe(0);
    await menu.getByRole('link', { name: 'Errors' }).click();
    await page.getByText('No traffic yet').waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('a guest is offered what the grant opens, and what it does not, not', async () => {
    const guest = await world.open();
    await guest.visit('');
    await guest.enter();
    const shared = await service.project();
    const give = async (capability: string) =>
      post(`/projects/v1/${shared.projectId}/grants`, { wallet: await guest.address(), capability }, shared.wallet);
    await give('read');
    const { page, visit, press, fill } = guest;
    const offered = () => page.getByRole('main').getByRole('button').allTextContents();
    await visit(`/projects/${shared.projectId}`);
    await page.getByText('you are no member of the organization that has it').waitFor();
    expect((await offered()).filter((name) => name !== '')).toEqual([]);
    await give('project:write');
    await visit(`/projects/${shared.projectId}/settings`);
    await fill('Name', 'Renamed by a guest');
    await press('Rename');
    await page.getByRole('navigation', { name: 'Where you are' }).getByText('Renamed by a guest').waitFor();
    await expect.poll(async () => (await offered()).filter((name) => name !== '')).toEqual(['Rename', 'Set']);
  });

  test.each([1280, 360])('pages of a project are reached from the menu by keyboard, %i pixels wide', async (width) => {
    const { page, visit, orgId, projectId } = await inOrganization();
    await page.setViewportSize({ width, height: 800 });
    await visit(`/projects/${projectId}`);
    await page.getByRole('button', { name: 'Get the keys' }).waitFor();
    const menu = page.getByRole('navigation', { name: 'Console' });
    const open = page.getByRole('button', { name: 'Menu', exact: true });
    const reach = async (name: string) => {
      // A page that is still arriving may be drawn anew under the key.
      await expect
        .poll(async () => {
          if ((await open.isVisible()) && (await open.getAttribute('aria-expanded')) !== 'true')
            await open.press('Enter');
          return menu.getByRole('link', { name: 'Rooms' }).isVisible();
        })
        .toBe(true);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await menu.getByRole('link', { name: 'Home' }).focus();
      const reached = () => page.evaluate<string>('document.activeElement.textContent');
      for (let pressed = 0; (await reached()) !== name && pressed < 30; pressed += 1) await page.keyboard.press('Tab');
      expect(await reached()).toBe(name);
      await page.keyboard.press('Enter');
    };
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await reach('Tables');
    await heading('Tables');
    expect(await menu.isVisible()).toBe(width === 1280);
    await reach('Errors');
    await heading('Errors');
    await reach('Room');
    await page.waitForURL(`**/console/orgs/${orgId}/rooms/**`);
    await page.getByText('No messages yet').waitFor();
  });
});
