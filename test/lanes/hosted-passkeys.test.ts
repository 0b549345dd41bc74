import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { startService } from '../helpers/service.ts';
import { addVirtualAuthenticator } from '../helpers/virtual-authenticator.ts';
import { cookieName } from '../hosted/host-call.ts';
import { hostedProject } from '../hosted/hosted-project.ts';

// `apt-get install chromium`
const program = chromiumProgram();

describe.skipIf(program === undefined)('passkeys on hosted pages in Chromium', async () => {
  const service = await startService();
  const project = await hostedProject(service);
  afterAll(async () => {
    await project.end();
    await service.stop();
  });

  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(() => closePages(browser));

  /** A user's browser with an authenticator in the machine, signed in by password; and everything pages complained of. */
  async function signedIn() {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const authenticator = await addVirtualAuthenticator(page);
    const { email, password } = await project.visitor();
    const signIn = async () => {
      await page.goto(`${project.origin}/auth/sign-in`);
      const form = page.locator('form[action="/auth/sign-in"]');
      await form.getByLabel('Email').fill(email);
      await form.getByLabel('Password').fill(password);
      await form.getByRole('button').click();
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
    };
    await signIn();
    return { context, page, complaints, authenticator, email };
  }

  test('a user adds a passkey on the account page, signs in with it, and gets where it was going', async () => {
    const { context, page, complaints, email } = await signedIn();
    await page.getByLabel('Name of the new passkey').fill('This laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('listitem').filter({ hasText: 'This laptop' }).waitFor();
    // The same authenticator has one already, and the page says so.
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'has a passkey of yours already' }).waitFor();

    await context.clearCookies();
    await page.goto(`${project.origin}/auth/sign-in?returnTo=${encodeURIComponent('/auth/account?from=passkey')}`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`${project.origin}/auth/account?from=passkey`);
    expect(await page.getByRole('definition').first().textContent()).toBe(email);
    await page.getByRole('listitem').filter({ hasText: 'by passkey' }).waitFor();
    expect((await context.cookies(project.origin)).find(({ name }) => name === cookieName)).toMatchObject({
      httpOnly: true,
      secure: true,
    });
    expect(complaints).toEqual([]);

    // One that was removed signs nobody in, and the page says that as well.
    const mine = page.getByRole('listitem').filter({ hasText: 'This laptop' });
    await mine.getByRole('button', { name: 'Remove' }).click();
    await mine.waitFor({ state: 'detached' });
    await page.goto(`${project.origin}/auth/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'No passkey of this project' }).waitFor();
  });

  test('what the browser turns down is said, and the same can be tried again', async () => {
    const { context, page, authenticator } = await signedIn();
    await authenticator.recognises(false);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'No passkey was used' }).waitFor();
    await authenticator.recognises(true);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Remove' }).waitFor();

    await context.clearCookies();
    // The session went while the page was open: it leads to where one signs in.
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`${project.origin}/auth/account`);
  });

  test('without scripts the pages show no button that does nothing', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${project.origin}/auth/sign-in`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
  });

  test('a script that somebody got into the page does not run', async () => {
    const { page, complaints } = await signedIn();
    const ran = await page.evaluate(`new Promise((resolve) => {
      const script = document.createElement('script');
      script.onload = () => resolve(true);
      script.onerror = () => resolve(false);
      script.src = '/_svc/config.js';
      document.head.append(script);
    })`);
    expect(ran).toBe(false);
    await expect.poll(() => complaints.join()).toContain('Content Security Policy');
  });
});
