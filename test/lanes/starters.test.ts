import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { terminal } from '../cli/command.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { installedWithDependencies, startNpmRegistry } from '../helpers/npm-registry.ts';
import { startService } from '../helpers/service.ts';

// `apt-get install chromium`
const program = chromiumProgram();

describe.skipIf(program === undefined)('starters in Chromium', async () => {
  const registry = await startNpmRegistry();
  const service = await startService({ env: { NPM_REGISTRY: registry.url } });
  const ada = await terminal(service.url);
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedChromium();
    await registry.publish(...installedWithDependencies('vite', 'react', 'react-dom', '@vitejs/plugin-react', 'hono'));
    await ada.svc('init');
  });
  afterAll(async () => {
    await closePages(browser);
    await ada.remove();
    await service.stop();
    await registry.stop();
  });

  /** The page of a starter that was brought up as it came. */
  async function open(template: string) {
    await ada.svc('init', template);
    const { json, error } = await ada.with({ npm_config_registry: registry.url })('up', template);
    expect(error).toBeUndefined();
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const tab = await context.newPage();
    const broken: string[] = [];
    tab.on('pageerror', (error) => broken.push(error.message));
    tab.on('requestfailed', (request) => broken.push(request.url()));
    onTestFinished(() => expect(broken).toEqual([]));
    await tab.goto(json.url);
    return tab;
  }

  test('the page of React signs a user up, and adds and deletes their notes', async () => {
    const tab = await open('vite');
    await tab.getByLabel('Email').fill('ada@example.com');
    await tab.getByLabel('Password').fill('correct horse battery');
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    await tab.getByRole('button', { name: 'Sign up' }).click();
    for (const note of ['Lime <b>trees</b>', 'First swallow']) {
      await tab.getByLabel('A new note').fill(note);
      await tab.getByRole('button', { name: 'Add' }).click();
      await tab.getByRole('listitem').getByText(note).waitFor();
    }
    await tab.getByRole('listitem').filter({ hasText: 'Lime' }).getByRole('button', { name: 'Delete' }).click();
    await tab.getByText('Lime <b>trees</b>').waitFor({ state: 'detached' });
    expect(await tab.getByRole('listitem').allInnerTexts()).toMatchObject([expect.stringContaining('First swallow')]);
  });

  test.each([
    ['static', 'Hello, web'],
    ['hono', 'An API of todos'],
    ['ssr', 'Notes from the server'],
  ])('the page of %s has all its files, and no line is wider than a phone', async (template, heading) => {
    const tab = await open(template);
    await tab.setViewportSize({ width: 360, height: 740 });
    await tab.getByRole('heading', { name: heading }).waitFor();
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await tab.evaluate(() => getComputedStyle(document.body).maxWidth)).not.toBe('none');
  });
});
