import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { buildConsole } from '../../scripts/build-console.ts';
import { closePages, sharedChromium } from './chromium.ts';
import { type ServiceOptions, startService } from './service.ts';

/** The console as one person sees it, in a profile of their own. */
export interface ConsolePage {
  readonly page: Page;
  /** Goes to a page of the console by its address, as a link from elsewhere does. */
  readonly visit: (path: string) => Promise<void>;
  /** Signs in with a key that the page makes, unless it is in already. */
  readonly enter: () => Promise<void>;
  /** Presses a button by its name. */
  readonly press: (name: string | RegExp) => Promise<void>;
  readonly fill: (label: string | RegExp, text: string) => Promise<void>;
  /** The address of the signed-in member. */
  readonly address: () => Promise<string>;
  /** Chooses an entry of the member's menu, for example “Sign out”. */
  readonly chooseInMenu: (name: string) => Promise<void>;
}

export interface OpenConsoleOptions extends BrowserContextOptions {
  /** Where it is, when not at the gateway itself. */
  readonly url: string;
  /** Runs in the page before its own scripts, for example to put a wallet there. */
  readonly first?: string;
  /** Something is to be refused that goes by plain HTTP: the browser itself tells of it. */
  readonly refusals?: boolean;
}

/** Opens the console. Whatever it complains of by itself fails the test. */
export async function openConsole(
  browser: Browser,
  { url, first, refusals = false, ...rest }: OpenConsoleOptions,
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...rest });
  onTestFinished(() => context.close());
  // A machine that does something else at the same time takes many times as long to draw a page.
  context.setDefaultTimeout(120_000);
  if (first !== undefined) await context.addInitScript(first);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A socket that a test has killed is told of by the browser itself.
    const byItself = refusals ? /WebSocket|ERR_|responded with a status of [45]/ : /WebSocket|ERR_/;
    if (message.type() === 'error' && !byItself.test(message.text())) complaints.push(message.text());
  });
  onTestFinished(() => expect(complaints).toEqual([]));
  return {
    page,
    visit: async (path) => void (await page.goto(`${url}/console${path}`)),
    async enter() {
      await page.getByRole('button', { name: 'Use a throw-away key' }).click();
      await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor();
    },
    press: (name) => page.getByRole('button', { name }).click(),
    fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    address: async () => (await page.getByRole('button', { name: /^Your menu/ }).getAttribute('data-address'))!,
    async chooseInMenu(name) {
      await page.getByRole('button', { name: /^Your menu/ }).click();
      await page.getByRole('menu').getByText(name, { exact: true }).click();
    },
  };
}

/** What a suite opens the console with: anywhere else than at its gateway only where that is told. */
export type OpenOptions = Partial<OpenConsoleOptions>;

/**
 * A gateway with its console, and Chromium to look at it with, for the tests of one suite: called in its `describe`, it
 * registers their start and their end.
 */
export async function startConsoleStage(options: ServiceOptions = {}) {
  await buildConsole();
  const service = await startService(options);
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(async () => {
    await closePages(browser);
    await service.stop();
  });
  /** The console of somebody who is not in yet. */
  const open = (more: OpenOptions = {}) => openConsole(browser!, { url: service.url, ...more });
  return { service, open };
}
