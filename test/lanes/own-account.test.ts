import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { nobody } from '../helpers/actors.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { startService } from '../helpers/service.ts';
import { type Body, freshEmail, operator, pkce, plane } from '../sessions/person.ts';
import { personBrowser } from './person-browser.ts';

// `apt-get install chromium`
const program = chromiumProgram();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf(program === undefined)('what a person has open and signs in with, in Chromium', async () => {
  const service = await startService();
  let browser: Browser;
  const { people, origin, byMail, withPasskey } = personBrowser(service, () => browser);
  const { post } = people;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(async () => {
    await closePages(browser);
    await service.stop();
  });

  const account = `${origin}${plane}/account`;
  const listed = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

  /** Another browser of the same person, signed in by mail. */
  async function elsewhere(email: string, userAgent: string) {
    const context = await browser.newContext({ userAgent });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}${plane}/sign-in`);
    await byMail(page, email);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    return page;
  }

  test('a person adds a mail address, and takes away the one before; sessions by it end', async () => {
    const { page, complaints, email } = await withPasskey();
    const other = await elsewhere(email, 'Mozilla/5.0 (Windows NT 10.0; rv:143.0) Gecko/20100101 Firefox/143.0');
    const further = freshEmail();
    await page.getByLabel('Further mail address').fill(further);
    await page.getByRole('button', { name: 'Add the address' }).click();
    await page.getByRole('status').filter({ hasText: 'A link is on its way' }).waitFor();
    const [path] = /\/agent\/v1\/control-plane\/emails\/confirm\?token=\S+/.exec(await people.mailTo(further))!;
    await page.goto(origin + path);
    await page.getByRole('button', { name: 'Add it' }).click();
    await listed(page, further).waitFor();
    // It rests on the address itself, so it is out as well.
    await page.getByRole('button', { name: `Remove Mail address: ${email}` }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText(`You are signed in as ${further}`).waitFor();
    expect(await listed(page, email).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a passkey that is not the only one of an owner is taken away with its passkey shown', async () => {
    const { page, authenticator, complaints, email } = await withPasskey();
    const mine = await people.byMail(email);
    await page.goto(account);
    await page.getByRole('button', { name: 'Remove Passkey: This laptop' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await authenticator.held()).length).toBe(1);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').waitFor();
    const { body } = await service.call<Body>(mine, 'GET', `${plane}/authenticators`);
    expect(body.authenticators.map(({ kind }: Body) => kind)).toEqual(['email']);
    // The refused sign-in is the browser's only complaint.
    expect(complaints).toEqual([expect.stringContaining('401')]);
  });

  test('a person sees its sessions, and ends one and then all others, without a script', async () => {
    const { page, email } = await withPasskey();
    await elsewhere(email, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1');
    const { body: device } = await post(nobody, `${operator}/session/device`, { client_name: 'A television' });
    await post(await people.byMail(email), `${operator}/session/device/approve`, {
      user_code: device.user_code,
      decision: 'approve',
    });
    await post(nobody, `${operator}/session/device/token`, { device_code: device.device_code });
    const { cookies } = await page.context().storageState();
    const context = await browser.newContext({ javaScriptEnabled: false, storageState: { cookies, origins: [] } });
    onTestFinished(() => context.close());
    const plain = await context.newPage();
    await plain.goto(account);
    await plain.getByRole('link', { name: 'Your sessions and approvals' }).click();
    await plain.getByRole('heading', { name: 'Your sessions' }).waitFor();
    await expect.poll(() => listed(plain, 'This one').count()).toBe(1);
    await listed(plain, 'A television, only reading').getByRole('button').click();
    await listed(plain, 'A television').waitFor({ state: 'detached' });
    // A page that is not read to its end yet has neither.
    await expect.poll(() => listed(plain, 'Safari on iOS').count()).toBe(1);
    expect(await listed(plain, 'A television').count()).toBe(0);
    await plain.getByRole('button', { name: 'End all others' }).click();
    await listed(plain, 'Safari on iOS').waitFor({ state: 'detached' });
    await expect.poll(() => plain.getByRole('listitem').count()).toBe(1);
    await page.goto(account);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  test('a write approval is seen, and taken back', async () => {
    const { page, email } = await withPasskey();
    const cli = await people.byMail(email);
    const { verifier, challenge } = pkce();
    const { body: asked } = await post(cli, `${plane}/write-auth/challenges`, {
      action: 'project.deploy',
      project_id: 'prj_seen',
      cli_redirect_uri: `${origin}/callback`,
      code_challenge: challenge,
      state: 's',
    });
    await page.goto(origin + new URL(asked.confirm_url).pathname);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(/\/callback\?/);
    const code = new URL(page.url()).searchParams.get('code');
    await post(nobody, `${plane}/write-auth/cli/token`, { code, code_verifier: verifier, state: 's' });
    await page.goto(`${account}/sessions`);
    await listed(page, 'Deploy the project prj_seen').getByRole('button', { name: 'Take back' }).click();
    await page.getByText('None is open.').waitFor();
    const { body } = await service.call<Body>(cli, 'GET', `${plane}/write-auth/sessions`);
    expect(body.sessions).toEqual([]);
  });

  test('who opens a page by the address of the machine is led to its name, where there are passkeys', async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${service.url}${plane}/sign-in?return_to=/console`);
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
    await page.getByRole('alert').getByRole('link', { name: 'Open this page as localhost' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(page.url()).toBe(`${origin}${plane}/sign-in?return_to=/console`);
  });

  test.each(['light', 'dark'] as const)(
    'the pages of a person can be used by everybody, when it is %s',
    async (colorScheme) => {
      const { page, email } = await withPasskey();
      await people.byMail(email);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 360, height: 640 });
      const query = `redirect_uri=http://127.0.0.1:9/callback&code_challenge=${pkce().challenge}&code_challenge_method=S256&state=s`;
      for (const path of [
        `${plane}/account`,
        `${plane}/account/sessions`,
        `${operator}/device`,
        `${plane}/cli/authorize?${query}`,
        `${plane}/sign-in`,
      ]) {
        await page.goto(origin + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.evaluate(axe);
        const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          'axe.run({ resultTypes: ["violations"] })',
        );
        expect([path, violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])]).toEqual([path, []]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      }
    },
  );
});
