import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { browserWallet } from '../helpers/browser-wallet.ts';
import { startConsoleStage } from '../helpers/console-page.ts';

const program = chromiumProgram();

describe.skipIf(program === undefined)('the console in Chromium', async () => {
  const { open } = await startConsoleStage();

  test('somebody new signs in with a throw-away key, and has an organization and a project a moment later', async () => {
    const { page, visit, enter, press, fill } = await open();
    await visit('');
    await enter();
    await page.getByText('Create your first organization').waitFor();
    await press('Create an organization');
    await fill('Name', 'Analytical Engines');
    await press('Create organization');
    await page.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor();
    await press('New project');
    await fill('Name', 'Notes');
    await press('Create project');
    await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor();
    await press('Get the keys');
    await page.getByRole('button', { name: 'Show service key' }).waitFor();
    // Keys are there for who asks for them, and for nobody who looks over a shoulder.
    expect(await page.getByText(/eyJ[\w-]{20,}\./).count()).toBe(0);

    // The key is kept: the same person is in again, on the same page.
    const address = page.url();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor();
    expect(page.url()).toBe(address);
  });

  test('nothing on the page of signing in moves once it is seen, whatever wallets show up', async () => {
    const { page, visit } = await open();
    await visit('');
    await page.getByText('This browser has no wallet').waitFor();
    const moved = await page.evaluate<string[]>(`new Promise((resolve) =>
      new PerformanceObserver((list) => resolve(list.getEntries().map(({ value, sources }) =>
        \`\${value}: \${sources.map(({ node }) => node?.textContent).join(', ')}\`)))
        .observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(resolve, 500, []))`);
    expect(moved).toEqual([]);
  });

  test('a wallet that breaks keeps nobody out', async () => {
    const { visit, enter, page } = await open({
      first: `Object.defineProperty(window, 'ethereum', { get() { throw new Error('broken'); } })`,
    });
    await visit('');
    await enter();
    await page.getByText('Create your first organization').waitFor();
  });

  async function openWithWallet(announced: boolean) {
    const wallet = browserWallet(announced);
    const opened = await open({ first: wallet.script });
    await opened.page.exposeFunction('signAsWallet', wallet.sign);
    const signed = async () => {
      const asked = await opened.page.evaluate<string[]>('asked');
      return asked.filter((method) => method === 'personal_sign').length;
    };
    return { ...opened, ...wallet, signed };
  }

  test.each([
    [true, 'Example Wallet'],
    [false, 'Browser wallet'],
  ])('a wallet of the browser signs once, whatever is changed then (announced: %s)', async (announced, name) => {
    const { page, visit, press, fill, address, signed } = await openWithWallet(announced);
    await visit('/orgs');
    await press(`Sign in with ${name}`);
    await press('New organization');
    await fill('Name', 'Difference Engines');
    await press('Create organization');
    await page.getByRole('heading', { level: 1, name: 'Difference Engines' }).waitFor();
    await press('New project');
    await fill('Name', 'One');
    await press('Create project');
    await page.getByText('One is created.').waitFor();
    expect(await signed()).toBe(1);
    await page.goBack();
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('group', { name: 'Members', exact: true }).locator(`[title="${address}" i]`).waitFor();

    // Loaded anew it does not surprise its owner with a question.
    await page.reload();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(await signed()).toBe(0);
    await press(`Sign and go on with ${name}`);
    await page.getByRole('heading', { level: 1, name: 'Difference Engines' }).waitFor();
  });

  test('a wallet whose owner refuses leaves them where they were, and says so', async () => {
    const { page, visit, press } = await open({
      first: `globalThis.ethereum = { async request() { throw new Error('User rejected the request.'); } };`,
    });
    await visit('');
    await press('Sign in with Browser wallet');
    await page.getByRole('alert').getByText('User rejected the request.').waitFor();
    await press('Sign in with Browser wallet');
    await page.getByRole('alert').waitFor();
  });

  /** Chooses colours on the page of signing in. */
  async function chooseColours(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: /Colors$/ }).click();
    await page.getByRole('option', { name }).click();
  }

  test('the switch wins over the system’s colours, and is remembered', async () => {
    const { page, visit, enter, chooseInMenu } = await open({ colorScheme: 'light' });
    await visit('');
    const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await chooseColours(page, 'Dark');
    await expect.poll(ground).not.toBe(light);
    const dark = await ground();
    await page.reload();
    await page.getByRole('button', { name: /Colors$/ }).waitFor();
    expect(await ground()).toBe(dark);
    // Inside, the member's menu has the same switch.
    await enter();
    await chooseInMenu('System');
    await expect.poll(ground).toBe(light);
  });

  test('a browser that keeps nothing for a page shows it all the same', async () => {
    const denied = `for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`;
    const { page, visit, enter } = await open({ first: denied });
    await visit('');
    await chooseColours(page, 'Dark');
    await enter();
    await page.getByText('Create your first organization').waitFor();
  });

  test('a command is copied where a page is given no clipboard, and that is said', async () => {
    const { page, visit, enter } = await open({
      first: `Object.defineProperty(navigator, 'clipboard', { value: undefined });
        addEventListener('copy', () => { globalThis.copied = document.activeElement.value; });`,
    });
    await visit('/you');
    await enter();
    const copy = page.getByRole('button', { name: 'Copy svc operator status' });
    await copy.press('Enter');
    await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate('copied')).toBe('svc operator status');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/svc operator status$/);
  });

  test('what is said of the time goes on with it', async () => {
    const { page, visit, enter, press, fill } = await open();
    await page.clock.install();
    await visit('/orgs?new=organization');
    await enter();
    await fill('Name', 'On Time');
    await press('Create organization');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('just now').first().waitFor();
    await page.clock.fastForward('10:00');
    await page.getByText('10 min. ago').first().waitFor();
  });

  test('an organization is made and a message sent with the keyboard alone', async () => {
    const { page, visit } = await open();
    await visit('');
    /** Presses Tab, or Tab backwards, until what is reached goes by this name. */
    const reach = async (name: string, key = 'Tab') => {
      const seen: string[] = [];
      for (let pressed = 0; pressed < 60; pressed++) {
        await page.keyboard.press(key);
        const reached = await page.evaluate<string>(`(() => {
          const one = document.activeElement;
          return (one.labels?.[0]?.textContent ?? one.getAttribute('aria-label') ?? one.textContent ?? '').trim();
        })()`);
        if (reached === name) return;
        seen.push(reached);
      }
      throw new Error(`Not reached by Tab: ${name}. Reached were ${seen.join(', ')}`);
    };
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('button', { name: 'Use a throw-away key' }).waitFor();
    await reach('Use a throw-away key');
    await page.keyboard.press('Enter');
    await heading('Overview');
    await page.getByRole('button', { name: 'Create an organization' }).waitFor();
    await reach('Create an organization');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: 'New organization' }).waitFor();
    await page.keyboard.type('By Hand');
    await page.keyboard.press('Enter');
    await heading('By Hand');
    await page.getByRole('link', { name: 'Rooms', exact: true }).first().waitFor();
    await reach('Rooms', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await heading('Rooms');
    await page.getByRole('button', { name: 'New room' }).waitFor();
    await reach('New room');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: 'New room' }).waitFor();
    await page.keyboard.type('standup');
    await page.keyboard.press('Enter');
    await heading('standup');
    await page.getByText('No messages yet').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await reach('Message');
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.locator('[data-message]').getByText('Hello').waitFor();
  });

  test('the first load is less than 250 KB of packed script, and other pages come when they are gone to', async () => {
    const { page, visit, enter } = await open();
    const loaded = new Map<string, number>();
    page.on('response', async (response) => {
      const type = (await response.allHeaders())['content-type'] ?? '';
      if (!type.includes('javascript')) return;
      loaded.set(response.url(), Number((await response.allHeaders())['content-length']));
    });
    await visit('');
    await enter();
    await page.getByText('Create your first organization').waitFor();
    const bytes = () => [...loaded.values()].reduce((sum, one) => sum + one, 0);
    await expect.poll(bytes).toBeGreaterThan(30_000);
    expect(bytes()).toBeLessThan(250_000);
    const before = loaded.size;
    await page.getByRole('link', { name: 'Audits' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audits' }).waitFor();
    // The headers of a response are asked for once it has come.
    await expect.poll(() => loaded.size).toBeGreaterThan(before);
  });
});
