import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { hasSeenLast, startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('the list of rooms of the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, post, open } = world;

  /** A member of an organization of their own, and how others write into its rooms. */
  async function inOrganization(role = 'owner') {
    const { wallet, orgId } = await service.owner();
    const opened = await open();
    await opened.visit('');
    await opened.enter();
    await post(`/orgs/v1/${orgId}/members`, { wallet: await opened.address(), role }, wallet);
    const say = (room: string, body: string, name = 'ada') =>
      post(`/orgs/v1/${orgId}/rooms/${room}/messages`, { body, requested_name: name, session_key: name }, wallet);
    return { ...opened, orgId, wallet, say };
  }

  test('a row has the last message, its sender and whether it is new; a press opens the room', async () => {
    const { page, visit, orgId, say } = await inOrganization();
    await say('standup', 'Good morning', 'grace');
    await say('release', 'It is out', 'ada');
    await visit(`/orgs/${orgId}/rooms`);
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('standup').getByText('Good morning').waitFor();
    await row('standup').getByText('grace').waitFor();
    await row('release').getByText('1 here').waitFor();
    expect(await page.getByText('New', { exact: true }).count()).toBe(0);
    await row('standup').click();
    await page.locator('[data-message]').getByText('Good morning').waitFor();
    await say('standup', 'And a good day');
    await page.locator('[data-message]').getByText('And a good day').waitFor();
    await hasSeenLast(page);
    await page.goBack();
    await row('standup').getByText('And a good day').waitFor();
    expect(await page.getByText('New', { exact: true }).count()).toBe(0);
    await say('standup', 'Unread');
    await page.reload();
    await row('standup').getByText('New', { exact: true }).waitFor();
    expect(await page.getByText('New', { exact: true }).count()).toBe(1);
  });

  test('rooms are found by name, archived ones apart, and the address holds both', async () => {
    const { page, visit, orgId, wallet, say } = await inOrganization();
    for (const room of ['standup', 'release', 'old']) await say(room, 'Hello');
    await post(`/orgs/v1/${orgId}/rooms/old/archive`, {}, wallet);
    await visit(`/orgs/${orgId}/rooms`);
    const names = () => page.locator('.room-name-text').allTextContents();
    await expect.poll(async () => (await names()).toSorted()).toEqual(['release', 'standup']);
    await page.getByRole('searchbox', { name: 'Search rooms' }).fill('STAND');
    await expect.poll(names).toEqual(['standup']);
    await page.reload();
    await expect.poll(names).toEqual(['standup']);
    await page.getByRole('searchbox', { name: 'Search rooms' }).fill('nothing');
    await page.getByText('No room of this name').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).last().click();
    await page.getByText('Archived', { exact: true }).click();
    await expect.poll(names).toEqual(['old']);
    await page.goBack();
    await expect.poll(async () => (await names()).toSorted()).toEqual(['release', 'standup']);
  });

  test('a new room is opened by a dialog, refuses a name that no room may have, and begins with its first message', async () => {
    const { page, visit, press, fill, orgId } = await inOrganization();
    await visit(`/orgs/${orgId}/rooms`);
    await page.getByText('No rooms yet').waitFor();
    await press('New room');
    await fill('Name', 'Not a name');
    await press('Open the room');
    await page.getByText('Use a to z, 0 to 9, dots, dashes and underscores.').last().waitFor();
    await fill('Name', 'planning');
    await press('Open the room');
    await page.getByRole('textbox', { name: 'Message' }).fill('First');
    await page.keyboard.press('Enter');
    await page.locator('[data-message]').getByText('First').waitFor();
    await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: 'Rooms' }).click();
    await page.getByRole('row').filter({ hasText: 'planning' }).waitFor();
  });

  test.each(looks)(
    'the list can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await post(`/orgs/v1/${world.orgId}/rooms/standup/messages`, { body: 'A word that is long: '.padEnd(400, 'x') });
      await expectUsable(world.asOwner, look, [
        { path: `/orgs/${world.orgId}/rooms`, sign: 'standup' },
        { path: `/orgs/${world.orgId}/rooms?archived=yes`, sign: 'No archived rooms' },
        { path: `/orgs/${world.orgId}/rooms?dialog=new`, sign: 'Your first message' },
      ]);
    },
    120_000,
  );
});
