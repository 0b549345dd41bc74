import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../scripts/build-console.ts';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { browserWallet } from '../helpers/browser-wallet.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { openConsole } from '../helpers/console-page.ts';
import { startService } from '../helpers/service.ts';

const program = chromiumProgram();

describe.skipIf(program === undefined)('the console in Chromium', async () => {
  await buildConsole();
  const service = await startService();
  afterAll(() => service.stop());

  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const open = (more: object = {}) => openConsole(browser, { url: service.url, ...more });

  test('somebody new signs in with a throw-away key, and has an organization and a project a moment later', async () => {
    const { page, visit, enter, press, fill } = await open();
    await visit('');
    await enter();
    await page.getByText('You belong to no organization yet').waitFor();
    await page.getByRole('link', { name: 'Create an organization' }).click();
    await fill('Name', 'Analytical Engines');
    await press('Create organization');
    await page.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor();
    await fill('Name of a new project', 'Notes');
    await press('Create project');
    await page.getByText('is ready').waitFor();
    // Keys are there for who asks for them, and for nobody who looks over a shoulder.
    expect(await page.getByText(/eyJ/).count()).toBe(0);
    await press('Show service key');
    expect(await page.getByText(/eyJ/).count()).toBe(1);

    await page.getByRole('list', { name: 'Projects' }).getByRole('link', { name: 'Notes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor();
    await press('Get the keys');
    await page.getByRole('heading', { name: 'Service key' }).waitFor();
    expect(await page.getByText(/eyJ/).count()).toBe(0);

    // The key is kept: the same person is in again, on the same page.
    const address = page.url();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor();
    expect(page.url()).toBe(address);
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
    await fill('Name', 'Difference Engines');
    await press('Create organization');
    await page.getByRole('heading', { level: 1, name: 'Difference Engines' }).waitFor();
    await fill('Name of a new project', 'One');
    await press('Create project');
    await page.getByText('is ready').waitFor();
    expect(await signed()).toBe(1);
    const members = page.getByRole('list', { name: 'Members' });
    expect(await members.getByRole('listitem').filter({ hasText: address }).count()).toBe(1);

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
});
