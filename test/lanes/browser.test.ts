import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { startService } from '../helpers/service.ts';

// `apt-get install chromium`
const program = chromiumProgram();

describe.skipIf(program === undefined)('GraphiQL in Chromium', async () => {
  const service = await startService();
  afterAll(() => service.stop());

  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(() => closePages(browser));

  /** GraphiQL in a profile of its own, with everything it asked the network for and everything it complained of. */
  async function openGraphiQL() {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    const framesSent: Record<string, unknown>[] = [];
    context.on('request', (request) => requested.push(request.url()));
    page.on('websocket', (socket) => {
      requested.push(socket.url());
      socket.on('framesent', ({ payload }) => framesSent.push(JSON.parse(String(payload))));
    });
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${service.url}/graphql`);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).waitFor();
    return { page, requested, complaints, framesSent };
  }

  /** Replaces what an editor holds, as somebody at the keyboard does. */
  async function type(page: Page, editor: string, text: string): Promise<void> {
    await page.locator(`${editor} .monaco-editor:visible`).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
    // The editor closes brackets by itself, also behind a text that is complete.
    await page.keyboard.press('ControlOrMeta+Shift+End');
    await page.keyboard.press('Delete');
  }

  async function typeHeaders(page: Page, headers: Record<string, string>): Promise<void> {
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await type(page, '.graphiql-editor-tool', JSON.stringify(headers));
  }

  const typeQuery = (page: Page, query: string) => type(page, '.graphiql-query-editor', query);
  const run = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();
  const stop = (page: Page) => page.getByRole('button', { name: /^Stop query/ });
  const response = (page: Page) => page.locator('.graphiql-response .view-lines');

  const follow = (org: string, room: string) =>
    `subscription { roomMessages(org: "${org}", room: "${room}") { cursor message { id body } } }`;

  test('the page needs no other host, shows the schema and answers a query that is typed into it', async () => {
    const { wallet, principalId } = await service.owner();
    const { page, requested, complaints } = await openGraphiQL();
    await typeHeaders(page, { 'SIGN-IN-WITH-X': await wallet.sign({ path: '/graphql' }) });
    // First the query that the page comes with.
    await run(page);
    await response(page).getByText(principalId).waitFor();
    await typeQuery(page, '{ me: whoami { authenticator { publicSubject } } }');
    await run(page);
    await response(page).getByText(wallet.address).waitFor();
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByText('Root Types').waitFor();

    const elsewhere = requested.filter((url) => !/^(data|blob):/.test(url) && new URL(url).origin !== service.url);
    expect(requested).toContain(`${service.url}/graphql`);
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a subscription runs over WebSocket with the credential of the headers editor', async () => {
    const { wallet, orgId, projectId } = await service.project();
    const { page, complaints, framesSent } = await openGraphiQL();
    const signature = await wallet.sign({ path: '/graphql' });
    await typeHeaders(page, { 'SIGN-IN-WITH-X': signature });
    await typeQuery(page, follow(orgId, projectId));
    await run(page);
    await stop(page).waitFor();
    for (const body of ['the first', 'the second']) {
      await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${projectId}/messages`, { body: { body } });
      await response(page).getByText(`"${body}"`).waitFor();
    }
    expect(framesSent[0]).toEqual({ type: 'connection_init', payload: { 'sign-in-with-x': signature } });
    expect(complaints).toEqual([]);

    // Stopped, the socket is closed; the signature is spent, and the next socket wants another.
    await stop(page).click();
    await run(page);
    await response(page).getByText('4403').waitFor();
  });

  test('a subscription without a credential shows the refusal', async () => {
    const { orgId, projectId } = await service.project();
    const { page } = await openGraphiQL();
    await typeQuery(page, follow(orgId, projectId));
    await run(page);
    await response(page).getByText('AUTH_REQUIRED').waitFor();
  });
});
