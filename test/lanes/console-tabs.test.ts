import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { browserWallet } from '../helpers/browser-wallet.ts';
import { startConsoleStage } from '../helpers/console-page.ts';
import { pressIfThere } from './console-choose.ts';

const program = chromiumProgram();

describe.skipIf(program === undefined)('tabs of the console in one browser', async () => {
  const { service, open } = await startConsoleStage();

  /** A member with a room on the screen, in as many tabs as are asked for. */
  async function inRoom(url = service.url) {
    const { wallet, orgId } = await service.owner('Analytical Engines');
    const opened = await open({ url });
    await opened.visit('');
    await opened.enter();
    const body = { wallet: await opened.address(), role: 'developer' };
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/members`, { body });
    const room = `${url}/console/orgs/${orgId}/rooms/standup`;
    const another = async () => {
      const tab = await opened.page.context().newPage();
      await tab.goto(room);
      await messageOf(tab).waitFor();
      return tab;
    };
    await opened.page.goto(room);
    await messageOf(opened.page).waitFor();
    return { ...opened, orgId, another };
  }

  const messageOf = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
  const menuOf = (page: Page) => page.getByRole('button', { name: /^Your menu/ });
  const signOut = async (page: Page) => {
    await menuOf(page).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };

  test('two tabs are one presence, which either may speak and release claims as', async () => {
    const { page, another, orgId } = await inRoom();
    const other = await another();
    await press(page, 'Join the room');
    await page.getByLabel('Your name here').fill('Ada');
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    // The other tab is told that it is in the room, too.
    await other.getByText('(you)').waitFor();
    await press(page, 'New claim');
    await page.getByLabel('Resource').fill('the release');
    await page.getByRole('button', { name: 'Claim', exact: true }).click();
    await messageOf(other).fill('Hello');
    await other.keyboard.press('Enter');
    await page.locator('[data-message]').getByText('Hello').waitFor();
    await press(other, 'Release the release');
    await page.getByText('No claims').waitFor();
    const presences = () =>
      service.control.sql('select name, left_at is null as there from room_presences where org_id = $1', [orgId]);
    expect(await presences()).toEqual([{ name: 'Ada', there: true }]);
    // A tab that is closed takes nobody out of the room.
    await other.close();
    await messageOf(page).fill('Still here');
    await page.keyboard.press('Enter');
    await page.locator('[data-message]').getByText('Still here').waitFor();
    expect(await presences()).toEqual([{ name: 'Ada', there: true }]);
    const third = await another();
    await press(page, 'Leave the room');
    await third.getByRole('button', { name: 'Join the room' }).waitFor();
    expect(await presences()).toEqual([{ name: 'Ada', there: false }]);
  });

  test('what was written in a room or a thread is found again, until it is sent or its writer signs out', async () => {
    const { page, another } = await inRoom();
    await messageOf(page).fill('A question');
    await page.keyboard.press('Enter');
    await page.locator('[data-message]').getByText('A question').waitFor();
    await messageOf(page).fill('Half a thought');
    await press(page, 'Recipients and priority');
    await page.getByLabel('To', { exact: true }).fill('bob');
    await page.getByText('High priority').click();
    await press(page, 'Reply in a thread');
    const reply = page.getByRole('textbox', { name: 'Reply' });
    expect(await reply.inputValue()).toBe('');
    await reply.fill('Half an answer');
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.goBack();
    await messageOf(page).waitFor();
    expect(await messageOf(page).inputValue()).toBe('Half a thought');
    await page.reload();
    await messageOf(page).waitFor();
    expect(await messageOf(page).inputValue()).toBe('Half a thought');
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('bob');
    expect(await page.getByLabel('High priority').isChecked()).toBe(true);
    expect(await page.getByLabel('Ask recipients').isChecked()).toBe(false);
    await press(page, 'Reply in a thread');
    expect(await reply.inputValue()).toBe('Half an answer');
    await press(page, 'Close the thread');
    await page.getByLabel('To', { exact: true }).fill('');
    await messageOf(page).press('Enter');
    await page.locator('[data-message]').getByText('Half a thought').waitFor();
    expect(await messageOf(page).inputValue()).toBe('');
    await page.reload();
    await messageOf(page).waitFor();
    expect(await messageOf(page).inputValue()).toBe('');

    await messageOf(page).fill('For nobody else');
    const other = await another();
    await signOut(other);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const kept = 'JSON.stringify({ ...sessionStorage, ...localStorage })';
    expect(await page.evaluate(kept)).not.toMatch(/Half an answer|For nobody else/);
  });

  test('signing out in one tab signs out every tab, and leaves nothing of what was read on the page', async () => {
    const { page, another } = await inRoom();
    await messageOf(page).fill('A secret plan');
    await page.keyboard.press('Enter');
    const other = await another();
    await other.locator('[data-message]').getByText('A secret plan').waitFor();
    await signOut(page);
    await other.getByRole('alert').getByText('You signed out in another tab.').waitFor();
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      expect(await tab.content()).not.toContain('A secret plan');
    }
    // Each goes in again for itself.
    await press(other, 'Use a throw-away key');
    await other.locator('[data-message]').getByText('A secret plan').waitFor();
    expect(await page.getByRole('heading', { level: 1, name: 'Sign in' }).count()).toBe(1);
  });

  test('wallets sign out in every tab, and a tab that heard nothing looks when it is shown', async () => {
    const wallet = browserWallet(true);
    const { page, visit } = await open({ first: wallet.script });
    const context = page.context();
    await page.exposeFunction('signAsWallet', wallet.sign);
    const other = await context.newPage();
    // As a tab that is put to sleep.
    await other.addInitScript(`addEventListener('storage', (event) => event.stopImmediatePropagation())`);
    await other.exposeFunction('signAsWallet', wallet.sign);
    await visit('');
    await other.goto(`${service.url}/console`);
    await press(page, 'Sign in with Example Wallet');
    await menuOf(page).waitFor();
    await other.reload();
    await press(other, 'Sign and go on with Example Wallet');
    await menuOf(other).waitFor();
    await signOut(page);
    await page.getByRole('heading', { level: 1, name: /Sign in|Welcome back/ }).waitFor();
    await other.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await other.getByRole('alert').getByText('You signed out in another tab.').waitFor();
  });

  test('while the gateway is away the page stays, says when it tries again, and tries at once when asked', async () => {
    const way = await startBreakableWay(service.url);
    onTestFinished(way.close);
    const { page } = await inRoom(way.url);
    await messageOf(page).fill('Before');
    await page.keyboard.press('Enter');
    await page.locator('[data-message]').getByText('Before').waitFor();
    way.cut();
    await page.getByText('The connection is lost.').waitFor();
    await page.getByText(/^Waiting for the gateway \([5-9] s\)…$/).waitFor();
    expect(await page.locator('[data-message]').getByText('Before').count()).toBe(1);
    way.mend();
    await pressIfThere(page, 'Retry');
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
  });
});
