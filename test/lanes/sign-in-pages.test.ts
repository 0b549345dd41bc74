import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { nobody } from '../helpers/actors.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { oidcClient, startOidcServer } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';
import { addVirtualAuthenticator } from '../helpers/virtual-authenticator.ts';
import { type Body, freshEmail, operator, peopleOf, pkce, plane } from '../sessions/person.ts';
import { personBrowser } from './person-browser.ts';

// `apt-get install chromium`
const program = chromiumProgram();

describe.skipIf(program === undefined)('people sign in with Chromium', async () => {
  const oidc = await startOidcServer();
  const providers = [{ id: 'google', issuer: oidc.issuer, ...oidcClient, display_name: 'Google' }];
  const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify(providers) } });
  const people = peopleOf(service);
  const { post } = people;
  let browser: Browser;
  const { origin, open, byMail, withPasskey } = personBrowser(service, () => browser);
  await oidc.serve([`${origin}${plane}/oauth/google/callback`]);
  const waiting = createServer((request, response) => {
    arrived.push(new URL(request.url!, 'http://localhost'));
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>Done</title><h1>You can close this</h1>');
  });
  const arrived: URL[] = [];
  waiting.listen(0, '127.0.0.1');
  await once(waiting, 'listening');
  const callback = `http://localhost:${(waiting.address() as AddressInfo).port}/callback`;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(async () => {
    await closePages(browser);
    await service.stop();
    await oidc.stop();
    waiting.closeAllConnections();
    waiting.close();
  });

  test('a person signs in by mail, adds a passkey, signs out, and signs in with it, by the keyboard alone', async () => {
    const { context, page, complaints } = await withPasskey();
    expect(
      (await context.cookies(origin)).map(({ name, httpOnly, secure, sameSite }) => [name, httpOnly, secure, sameSite]),
    ).toEqual([['__Host-Http-svc_cp_session', true, true, 'Strict']]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // A script shows the button.
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Sign in with a passkey');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('recovery codes are shown once, where a screen reader says so, and one of them signs in', async () => {
    const { context, page } = await withPasskey();
    await page.getByRole('button', { name: 'Make recovery codes' }).click();
    const codes = page.locator('#recovery-codes li');
    await codes.first().waitFor();
    await expect.poll(() => codes.count()).toBe(10);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('recovery-codes');
    const code = (await codes.first().textContent())!;
    await context.clearCookies();
    await page.goto(`${origin}${plane}/sign-in`);
    await page.getByLabel('Recovery code').fill(code);
    await page.getByRole('button', { name: 'Use the code' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  test('a command line is let in by a passkey, and turned away by a link', async () => {
    const { page, complaints } = await withPasskey();
    const { verifier, challenge } = pkce();
    const query = new URLSearchParams({
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'abc',
      nonce: 'n',
    });
    await page.goto(`${origin}${plane}/cli/authorize?${query}`);
    await page.getByRole('button', { name: 'Let it in' }).click();
    await page.getByRole('heading', { name: 'You can close this' }).waitFor();
    const back = arrived.find(({ pathname, searchParams }) => pathname === '/callback' && searchParams.has('code'))!;
    expect(back.searchParams.get('state')).toBe('abc');
    const { status, body } = await post(nobody, `${plane}/cli/token`, {
      code: back.searchParams.get('code'),
      code_verifier: verifier,
      redirect_uri: callback,
      state: 'abc',
    });
    expect([status, body]).toEqual([200, expect.objectContaining({ provenance: 'loopback_pkce', amr: ['passkey'] })]);

    await page.goto(`${origin}${plane}/cli/authorize?${query}`);
    await page.getByRole('link', { name: 'Do not let it in' }).click();
    await page.getByRole('heading', { name: 'You can close this' }).waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    expect(complaints).toEqual([]);
  });

  test('who comes without a session signs in first, makes a passkey, and then lets the command line in', async () => {
    const { page, email } = await open();
    const query = `redirect_uri=${encodeURIComponent(callback)}&code_challenge=${pkce().challenge}&code_challenge_method=S256&state=s2`;
    await page.goto(`${origin}${plane}/cli/authorize?${query}`);
    await byMail(page, email);
    await page.getByRole('alert').filter({ hasText: 'you have none yet' }).waitFor();
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('confirm with one that you have first').waitFor();
    await page.goto(`${origin}${plane}/cli/authorize?${query}`);
    await page.getByRole('button', { name: 'Let it in' }).click();
    await page.getByRole('heading', { name: 'You can close this' }).waitFor();
  });

  test('a device is approved by the code that it shows', async () => {
    const { page, complaints, email } = await open();
    const { body: begun } = await post(nobody, `${operator}/session/device`, { client_name: 'svc on ada' });
    await page.goto(`${origin}${operator}/device`);
    await byMail(page, email);
    await page.getByLabel('Code that the device shows').fill(begun.user_code.toLowerCase());
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('svc on ada').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status').filter({ hasText: 'The device is signed in' }).waitFor();
    const { status, body } = await post(nobody, `${operator}/session/device/token`, { device_code: begun.device_code });
    expect([status, body.email]).toEqual([200, email]);
    expect(complaints).toEqual([]);
  });

  test('one action is approved by a passkey, for the session that asked', async () => {
    const { page, complaints, email } = await withPasskey();
    // The command line signed in on its own, as the same person.
    const cli = await people.byMail(email);
    const { verifier, challenge } = pkce();
    const { body: asked } = await post(cli, `${plane}/write-auth/challenges`, {
      action: 'project.deploy',
      project_id: 'prj_one',
      cli_redirect_uri: callback,
      code_challenge: challenge,
      state: 'w1',
    });
    await page.goto(origin + new URL(asked.confirm_url).pathname);
    await page.getByText('Deploy the project').waitFor();
    expect(await page.getByRole('definition').last().textContent()).toBe('prj_one');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'You can close this' }).waitFor();
    const { searchParams } = new URL(page.url());
    const { status } = await post(nobody, `${plane}/write-auth/cli/token`, {
      code: searchParams.get('code'),
      code_verifier: verifier,
      state: searchParams.get('state'),
    });
    expect(status).toBe(201);
    expect(complaints).toEqual([]);
  });

  test('an approval that was asked for by a page comes back to the window that opened it', async () => {
    const { context, page, email, authenticator } = await withPasskey();
    const cli = await people.byMail(email);
    const { body: asked } = await post(cli, `${plane}/write-auth/challenges`, {
      action: 'project.deploy',
      project_id: 'prj_two',
      code_challenge: pkce().challenge,
      state: 'w2',
    });
    expect(asked.delivery).toBe('postmessage');
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate((url) => {
        (window as Body).said = new Promise((resolve) => {
          window.addEventListener('message', ({ data }) => resolve(data), { once: true });
        });
        window.open(url);
      }, new URL(asked.confirm_url).pathname),
    ]);
    // Each page of a test has an authenticator of its own: this one is given the same passkey.
    const device = await addVirtualAuthenticator(popup);
    for (const credential of await authenticator.held()) await device.take(credential);
    await popup.getByRole('button', { name: 'Approve' }).click();
    expect(await page.evaluate(() => (window as Body).said)).toEqual({
      type: 'svc.write-auth',
      code: expect.any(String),
      state: 'w2',
    });
  });

  test('what the browser turns down is said, and can be tried again', async () => {
    const { page, authenticator } = await withPasskey();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await authenticator.recognises(false);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'No passkey was used' }).waitFor();
    await authenticator.recognises(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  test('who comes back from a provider of another site is signed in', async () => {
    const { page, complaints, email } = await open();
    // Whoever is not hinted at is this one.
    oidc.accounts.set(String(undefined), { email, email_verified: true });
    // As by a click at the provider: what is sent on from another site brings no strict cookie along.
    await page.goto(callback.replace('localhost', '127.0.0.1'));
    await page.evaluate((start) => location.assign(start), `${origin}${plane}/oauth/google/start`);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.getByText(`You are signed in as ${email}`).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the passkey of an operator contact is enrolled from the mailed link', async () => {
    const { page, email } = await open();
    const wallet = service.actors.wallet();
    await post(wallet, '/agent/v1/contact', { name: 'Ada', email });
    await service.control.sql('update operator_contacts set email_verified_at = now() where email = $1', [email]);
    await post(wallet, '/agent/v1/contact/passkey/enroll');
    const [path] = /\/agent\/v1\/contact\/passkey\/register\?token=\S+/.exec(await people.mailTo(email))!;
    await page.goto(origin + path);
    await page.getByRole('button', { name: 'Enrol a passkey' }).click();
    await page.getByRole('heading', { name: 'Your passkey is enrolled' }).waitFor();
    const { body } = await service.call<Body>(wallet, 'GET', '/agent/v1/contact/status');
    expect(body.assurance_level).toBe('operator_passkey');
  });

  test('without a script a person still signs in by mail and approves a device', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const email = freshEmail();
    const { body: begun } = await post(nobody, `${operator}/session/device`);
    await page.goto(`${origin}${operator}/device?user_code=${begun.user_code}`);
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
    await byMail(page, email);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('status').filter({ hasText: 'was not let in' }).waitFor();
    const { body } = await post(nobody, `${operator}/session/device/token`, { device_code: begun.device_code });
    expect(body.error).toBe('access_denied');
    expect(await context.cookies(origin)).toHaveLength(1);
  });
});
