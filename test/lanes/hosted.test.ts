import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { newEmail } from '../auth/auth-project.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { startService } from '../helpers/service.ts';
import { cookieName } from '../hosted/host-call.ts';
import { hostedProject } from '../hosted/hosted-project.ts';

// `apt-get install chromium`
const program = chromiumProgram();

describe.skipIf(program === undefined)('hosted sign-in in Chromium', async () => {
  const service = await startService();
  const project = await hostedProject(service);
  const other = await hostedProject(service);
  afterAll(async () => {
    await project.end();
    await other.end();
    await service.stop();
  });

  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(() => closePages(browser));

  /** A profile of its own; everything that a page complained of. */
  async function profile(options: { javaScriptEnabled?: boolean } = {}) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return { context, page, complaints };
  }

  const sessionOf = async (context: BrowserContext) =>
    (await context.cookies(project.origin)).find(({ name }) => name === cookieName);

  async function fill(page: Page, email: string, password: string, button: string) {
    const form = page.locator('form', { has: page.getByRole('button', { name: button, exact: true }) });
    await form.getByLabel('Email').fill(email);
    await form.getByLabel(/^Password/).fill(password);
    await form.getByRole('button', { name: button, exact: true }).click();
  }

  for (const javaScriptEnabled of [true, false])
    test(`signs up, sees the account, changes the password, signs out and in, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { context, page, complaints } = await profile({ javaScriptEnabled });
      const email = newEmail();
      await page.goto(`${project.origin}/auth/account`);
      // Nobody is signed in, so the page is the one to sign in on.
      await page.getByRole('link', { name: 'Sign up' }).click();
      await fill(page, email, 'a first password', 'Sign up');
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      expect(await page.getByRole('definition').first().textContent()).toBe(email);
      expect(await sessionOf(context)).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });

      await page.getByLabel('Current password').fill('a first password');
      await page.getByLabel('New password').fill('a second password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByRole('status').waitFor();

      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
      expect(await sessionOf(context)).toBeUndefined();

      expect(complaints).toEqual([]);
      await fill(page, email, 'a first password', 'Sign in');
      await page.getByRole('alert').waitFor();
      await fill(page, email, 'a second password', 'Sign in');
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
    });

  test('a code from a mail signs in', async () => {
    const { page } = await profile({ javaScriptEnabled: false });
    const email = newEmail();
    await page.goto(`${project.origin}/auth/sign-in`);
    await page.getByLabel('Email').last().fill(email);
    await page.getByRole('button', { name: 'Send me a link and a code' }).click();
    const { code } = await project.mailTo(email);
    await page.getByLabel('Six digits').fill(code!);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  test('a link from a mail signs in after a click, and leads back to where it was wanted', async () => {
    const { page } = await profile({ javaScriptEnabled: false });
    const email = newEmail();
    await page.goto(`${project.origin}/auth/sign-in?returnTo=${encodeURIComponent('/auth/account?from=mail')}`);
    await page.getByLabel('Email').last().fill(email);
    await page.getByRole('button', { name: 'Send me a link and a code' }).click();
    const { text } = await project.mailTo(email);
    await page.goto(/^http\S+$/m.exec(text)![0]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${project.origin}/auth/account?from=mail`);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  test('another host’s page can neither sign the user out nor read what is the user’s, nor frame a page', async () => {
    const { context, page } = await profile();
    const { email, password } = await project.visitor();
    await page.goto(`${project.origin}/auth/sign-in`);
    await fill(page, email, password, 'Sign in');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();

    const foreign = await context.newPage();
    await foreign.route(`${other.origin}/evil`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${project.origin}/auth/v1/sessions/end"><button>Go</button></form>
          <iframe src="${project.origin}/auth/account"></iframe>`,
      }),
    );
    await foreign.goto(`${other.origin}/evil`);
    const read = await foreign.evaluate(
      (url) =>
        fetch(url, { credentials: 'include' }).then(
          (answer) => answer.text(),
          () => 'refused',
        ),
      `${project.origin}/auth/account/security`,
    );
    expect(read).toBe('refused');
    const framed = foreign.frames().find((frame) => frame !== foreign.mainFrame())!;
    expect(await framed.content()).not.toContain(email);
    await foreign.getByRole('button', { name: 'Go' }).click();
    await foreign.getByText('SVC_AUTH_CSRF_ORIGIN_MISMATCH').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  test('on a small screen nothing is cut off, and the keyboard alone leads through, without passkeys as well', async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
    onTestFinished(() => context.close());
    await context.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
    const page = await context.newPage();
    const long = `${'a'.repeat(64)}@${'example.'.repeat(20)}com`;
    const fits = async () =>
      expect([page.url(), await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([page.url(), 360]);
    /** Tabs to a control of this name. */
    const tabTo = async (name: string) => {
      for (let steps = 0; steps < 30; steps += 1) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(() => {
          const at = document.activeElement as HTMLInputElement;
          return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent;
        });
        if (focused === name) return;
      }
      throw new Error(`The keyboard does not lead to ${name}.`);
    };
    const enter = async (name: string, text: string) => {
      await tabTo(name);
      await page.keyboard.type(text);
    };

    await page.goto(`${project.origin}/auth/sign-up`);
    await enter('Email', long);
    await enter('Password, at least 8 characters', 'short');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'at least 8 characters' }).waitFor();
    expect(await page.title()).toMatch(/^Error: Sign up/);
    await expect.poll(() => alert.evaluate((at) => at === document.activeElement)).toBe(true);
    // What went wrong has the focus, and the form comes next.
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Email').evaluate((at) => at === document.activeElement)).toBe(true);
    await fits();
    await enter('Password, at least 8 characters', 'long enough');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/auth/account');
    await fits();
    expect(await page.getByRole('button', { name: 'passkey' }).count()).toBe(0);
    for (const path of ['sign-in', 're-auth', 'sign-in?svc_auth_error=domain_not_allowed']) {
      await page.goto(`${project.origin}/auth/${path}`);
      await fits();
    }
    await page.goto(`${project.origin}/auth/account`);
    await tabTo('Sign out everywhere');
    await page.keyboard.press('Space');
    await page.waitForURL('**/auth/sign-in?**');
    await enter('Email', long);
    await enter('Password', 'long enough');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/auth/account');
  });

  test('window.SVC is there for a page of the host', async () => {
    const { page } = await profile();
    await page.goto(`${project.origin}/auth/sign-in`);
    await page.route(`${project.origin}/page`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="/_svc/config.js"></script>' }),
    );
    await page.goto(`${project.origin}/page`);
    expect(await page.evaluate('window.SVC')).toEqual({
      project_id: project.projectId,
      api_base: `http://localhost:${new URL(service.url).port}`,
      anon_key: project.anonKey,
    });
  });
});
