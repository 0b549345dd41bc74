import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { claimsOf } from '../auth/auth-project.ts';
import { passkeyProject } from '../auth/passkeys/passkey-project.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { startService } from '../helpers/service.ts';
import { addVirtualAuthenticator } from '../helpers/virtual-authenticator.ts';

// `apt-get install chromium`
const program = chromiumProgram();

/** A page of an app, which asks the gateway from another origin. */
const html = `<!doctype html><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"><script>
  const ask = async (method, path, body) => {
    const headers = { apikey: app.key, 'content-type': 'application/json' };
    if (app.token) headers.authorization = 'Bearer ' + app.token;
    const answer = await fetch(app.gateway + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: await answer.json() };
  };
  const named = (promise) => promise.catch((error) => ({ refusedByBrowser: error.name }));
  window.register = (label) => named((async () => {
    const begun = await ask('POST', '/auth/v1/passkeys/register/options', { app_origin: location.origin });
    if (begun.status !== 200) return begun;
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(begun.body.options);
    const response = (await navigator.credentials.create({ publicKey })).toJSON();
    return ask('POST', '/auth/v1/passkeys/register/verify', { challenge_id: begun.body.challenge_id, response, label });
  })());
  window.signIn = (email) => named((async () => {
    const begun = await ask('POST', '/auth/v1/passkeys/login/options', { app_origin: location.origin, email });
    if (begun.status !== 200) return begun;
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.body.options);
    const response = (await navigator.credentials.get({ publicKey })).toJSON();
    window.last = { challenge_id: begun.body.challenge_id, response };
    return ask('POST', '/auth/v1/passkeys/login/verify', window.last);
  })());
  window.ask = ask;
</script>`;

describe.skipIf(program === undefined)('passkeys in Chromium', async () => {
  const service = await startService();
  const project = await passkeyProject(service);
  const pages = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const port = (pages.address() as AddressInfo).port;
  afterAll(async () => {
    await project.end();
    await service.stop();
    pages.closeAllConnections();
    pages.close();
  });

  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(() => closePages(browser));

  // biome-ignore lint/suspicious/noExplicitAny: what the page answers; tests select what they look at.
  type Answered = any;

  const as = (page: Page, token?: string) =>
    page.evaluate((app) => Object.assign(globalThis, { app }), {
      gateway: service.url,
      key: project.anonKey,
      token,
    });
  const run = (page: Page, what: 'register' | 'signIn', ...given: unknown[]): Promise<Answered> =>
    page.evaluate(([name, more]) => (globalThis as Answered)[name as string](...(more as unknown[])), [what, given]);
  const ask = (page: Page, ...given: unknown[]): Promise<Answered> =>
    page.evaluate((more) => (globalThis as Answered).ask(...more), given);

  /** An app in a profile of its own, with an authenticator in the machine. */
  async function openApp(host = 'localhost') {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`http://${host}:${port}/`);
    const authenticator = await addVirtualAuthenticator(page);
    return { page, authenticator, origin: `http://${host}:${port}` };
  }

  test('a user registers a passkey, signs in with it without naming anybody, and removes it', async () => {
    const { page, authenticator, origin } = await openApp();
    const ada = await project.signedIn();
    await as(page, ada.access_token);
    const made = await run(page, 'register', 'This laptop');
    expect([made.status, made.body]).toMatchObject([
      201,
      { rp_id: 'localhost', created_origin: origin, label: 'This laptop', transports: ['internal'] },
    ]);
    const [credential] = await authenticator.held();
    expect(credential).toMatchObject({ isResidentCredential: true, rpId: 'localhost' });
    // The browser itself turns down a second one on the same authenticator.
    expect(await run(page, 'register')).toEqual({ refusedByBrowser: 'InvalidStateError' });

    await as(page);
    const session = await run(page, 'signIn');
    expect([session.status, session.body.user.id]).toEqual([200, ada.id]);
    expect(claimsOf(session.body.access_token)).toMatchObject({
      amr: ['passkey'],
      aal: 'aal2',
      passkey_id: made.body.id,
    });
    // Twice, since the authenticator counts.
    expect((await run(page, 'signIn', ada.email)).status).toBe(200);
    const replayed = await page.evaluate(() =>
      (globalThis as Answered).ask('POST', '/auth/v1/passkeys/login/verify', (globalThis as Answered).last),
    );
    expect([replayed.status, replayed.body.code]).toEqual([401, 'INVALID_AUTH']);

    await as(page, session.body.access_token);
    const [listed] = (await ask(page, 'GET', '/auth/v1/passkeys')).body.passkeys;
    expect(listed).toMatchObject({ id: made.body.id, last_used_origin: origin });
    expect((await ask(page, 'DELETE', `/auth/v1/passkeys/${made.body.id}`)).status).toBe(200);
    await as(page);
    expect((await run(page, 'signIn')).status).toBe(401);
  });

  test('a user who is not verified gets no passkey and no session', async () => {
    const { page, authenticator } = await openApp();
    const ada = await project.signedIn();
    await as(page, ada.access_token);
    await authenticator.recognises(false);
    expect(await run(page, 'register')).toEqual({ refusedByBrowser: 'NotAllowedError' });
    await authenticator.recognises(true);
    expect((await run(page, 'register')).status).toBe(201);
    await authenticator.recognises(false);
    expect(await run(page, 'signIn')).toEqual({ refusedByBrowser: 'NotAllowedError' });
  });

  test('a passkey of localhost is none of the project’s own host, where another one can be made', async () => {
    const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
      project.projectId,
    ]);
    const host = `p-${row!.public_id}.localhost`;
    const { page, authenticator } = await openApp(host);
    const ada = await project.signedIn();
    await as(page, ada.access_token);
    const made = await run(page, 'register');
    expect([made.status, made.body.rp_id]).toEqual([201, host]);
    expect((await run(page, 'signIn')).body.user.id).toBe(ada.id);
    // The same authenticator in an app elsewhere has nothing for it.
    await page.goto(`http://localhost:${port}/`);
    await as(page);
    expect(await run(page, 'signIn')).toEqual({ refusedByBrowser: 'NotAllowedError' });
    expect(await authenticator.held()).toHaveLength(1);
    // And a host that is nobody's gets no challenge at all.
    await page.goto(`http://p-other.localhost:${port}/`);
    await as(page);
    const refused = await run(page, 'signIn');
    expect([refused.status, refused.body.details.field]).toEqual([400, 'app_origin']);
  });
});
