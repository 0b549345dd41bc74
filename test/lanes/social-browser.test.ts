import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { authProject, newEmail } from '../auth/auth-project.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { oidcClient, startOidcServer } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';

const program = chromiumProgram();

/** A frontend app, as small as one can be: it begins, waits for its code or finds it in the fragment, and trades it. */
const page = `<!doctype html><title>app</title><script>
const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '');
const messages = (globalThis.messages = []);
addEventListener('message', ({ origin, data }) => messages.push({ origin, data }));
async function begin(gateway, apikey, body) {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  sessionStorage.verifier = verifier;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const response = await fetch(gateway + '/auth/v1/oauth/google/start', {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify({ code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: 'S256', ...body }),
  });
  return (await response.json()).authorization_url;
}
async function trade(gateway, apikey, code) {
  const response = await fetch(gateway + '/auth/v1/token?grant_type=authorization_code', {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify({ code, code_verifier: sessionStorage.verifier }),
  });
  return response.json();
}
</script>`;

describe.skipIf(program === undefined)('social sign-in in Chromium', async () => {
  const oidc = await startOidcServer();
  const provider = { id: 'google', issuer: oidc.issuer, ...oidcClient, display_name: 'Google' };
  const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify([provider]) } });
  await oidc.serve([`${service.url}/auth/v1/oauth/google/callback`]);
  const project = await authProject(service);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const app = `http://localhost:${port}/`;
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(async () => {
    await closePages(browser);
    server.closeAllConnections();
    server.close();
    await project.end();
    await service.stop();
    await oidc.stop();
  });

  /** A page of the app, in a profile of its own, and somebody new with an account at the provider. */
  async function open(url = app) {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const tab = await context.newPage();
    await tab.goto(url);
    const email = newEmail();
    oidc.accounts.set(email, { email, email_verified: true, name: 'Ada' });
    const { url: gateway } = service;
    const begin = (mode: string) =>
      tab.evaluate<string, [string, string, object]>(
        // biome-ignore lint/suspicious/noExplicitAny: what the page above declares.
        ([to, key, body]) => (globalThis as any).begin(to, key, body),
        [gateway, project.anonKey, { redirect_url: app, mode, login_hint: email, client_state: 'mine' }],
      );
    const trade = (code: string) =>
      tab.evaluate<{ user: { email: string } }, [string, string, string]>(
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        ([to, key, one]) => (globalThis as any).trade(to, key, one),
        [gateway, project.anonKey, code],
      );
    /** Opens the provider in a popup, which closes by itself when it has said what it came with. */
    const popup = async (address: string) => {
      const opened = tab.waitForEvent('popup');
      await tab.evaluate((to) => void window.open(to, 'sign-in', 'width=400,height=500'), address);
      const closing = await opened;
      if (!closing.isClosed()) await closing.waitForEvent('close');
    };
    // A message of its own comes after those that were sent before it.
    const messages = () =>
      tab.evaluate<{ origin: string; data: Record<string, string> }[]>(async () => {
        const told = new Promise((resolve) => addEventListener('message', resolve, { once: true }));
        window.postMessage('last', '*');
        await told;
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        return (globalThis as any).messages;
      });
    return { tab, email, begin, trade, popup, messages };
  }

  test('a redirect brings the code in the fragment, and the app trades it', async () => {
    const { tab, email, begin, trade } = await open();
    await tab.goto(await begin('redirect'));
    await tab.waitForURL(/#code=/);
    const given = new URLSearchParams(new URL(tab.url()).hash.slice(1));
    expect([new URL(tab.url()).origin, given.get('state')]).toEqual([new URL(app).origin, 'mine']);
    expect((await trade(given.get('code')!)).user.email).toBe(email);
  });

  test('a popup tells its opener, closes, and the app trades the code', async () => {
    const { email, begin, trade, popup, messages } = await open();
    await popup(await begin('popup'));
    const [message] = await messages();
    expect(message).toEqual({ origin: service.url, data: { code: expect.stringMatching(/^svco_/), state: 'mine' } });
    expect((await trade(message!.data.code!)).user.email).toBe(email);
  });

  test('a popup that a page of another origin opened tells it nothing', async () => {
    // The same server by another name, which is another origin to a browser.
    const { begin, popup, messages } = await open(`http://127.0.0.1:${port}/`);
    await popup(await begin('popup'));
    expect(await messages()).toEqual([{ origin: `http://127.0.0.1:${port}`, data: 'last' }]);
  });
});
