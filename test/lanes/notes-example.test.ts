import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createNotesProject } from '../../examples/notes/create-project.ts';
import { servePage } from '../../examples/notes/serve-page.ts';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { startService } from '../helpers/service.ts';

// `apt-get install chromium`
const program = chromiumProgram();

describe.skipIf(program === undefined)('the notes example in Chromium', async () => {
  const service = await startService();
  const config = await createNotesProject(service.url);
  const page = await servePage(config, 0);
  afterAll(async () => {
    page.close();
    await service.stop();
  });

  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(() => closePages(browser));

  /** The page as one person sees it, in a profile of their own. */
  async function open() {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const tab = await context.newPage();
    const broken: string[] = [];
    tab.on('pageerror', (error) => broken.push(error.message));
    onTestFinished(() => expect(broken).toEqual([]));
    await tab.goto(page.url);
    const enter = async (how: 'Sign in' | 'Sign up', email: string, password = 'correct horse') => {
      await tab.getByLabel('Address').fill(email);
      await tab.getByLabel('Password').fill(password);
      await tab.getByRole('button', { name: how }).click();
    };
    const add = async (body: string) => {
      await tab.getByLabel('New note').fill(body);
      await tab.getByRole('button', { name: 'Add' }).click();
    };
    return { context, tab, enter, add, notes: tab.getByRole('listitem') };
  }

  test('who signs up sees their own notes, wherever they are written, and nobody else does', async () => {
    const [desk, phone, stranger] = [await open(), await open(), await open()];
    await desk.enter('Sign up', 'ada@example.com');
    await desk.tab.getByText('Signed in as ada@example.com').waitFor();
    await phone.enter('Sign in', 'ada@example.com');
    await phone.tab.getByText('Signed in as').waitFor();
    await stranger.enter('Sign up', 'eve@example.com');
    await stranger.tab.getByText('Signed in as').waitFor();

    await desk.add('Buy <b>milk</b>');
    await phone.notes.getByText('Buy <b>milk</b>').waitFor();
    await phone.add('Call Bob');
    await desk.notes.getByText('Call Bob').waitFor();
    await phone.notes.filter({ hasText: 'milk' }).getByRole('button', { name: 'Delete' }).click();
    await desk.notes.getByText('milk').waitFor({ state: 'detached' });
    expect(await desk.notes.count()).toBe(1);

    // Whatever was hers to hear of has arrived when word of her own note has.
    await stranger.add('Mine');
    await stranger.notes.getByText('Mine').waitFor();
    expect(await stranger.notes.count()).toBe(1);
  });

  test('a person stays signed in across a reload, and is out when they sign out', async () => {
    const { tab, enter, add, notes } = await open();
    await enter('Sign up', 'grace@example.com');
    await tab.getByText('Signed in as').waitFor();
    await add('Remember me');
    await notes.getByText('Remember me').waitFor();
    await tab.reload();
    await notes.getByText('Remember me').waitFor();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('button', { name: 'Sign in' }).waitFor();
    await tab.reload();
    await tab.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await notes.count()).toBe(0);
  });

  test('a token that has run out is renewed once, also by two tabs at a time', async () => {
    const { context, tab, enter, add, notes } = await open();
    await enter('Sign up', 'hedy@example.com');
    await tab.getByText('Signed in as').waitFor();
    await add('Before');
    await notes.getByText('Before').waitFor();
    // As text, for it is the page's own module; a token that nobody signed is refused like one that has run out.
    await tab.evaluate(`(async () => {
      const { SessionStore } = await import('/session-store.ts');
      const store = new SessionStore((await (await fetch('/_svc/config.json')).json()).project_id);
      const session = await store.read();
      await store.write({ ...session, access_token: session.access_token.slice(0, -4) + 'AAAA' });
    })()`);
    const other = await context.newPage();
    await Promise.all([tab.reload(), other.goto(page.url)]);
    await notes.getByText('Before').waitFor();
    await other.getByText('Before').waitFor();
    await other.getByLabel('New note').fill('After');
    await other.getByRole('button', { name: 'Add' }).click();
    await notes.getByText('After').waitFor();
  });

  test('a stream that has fallen silent is opened anew, and what was missed is shown', async () => {
    const way = await startBreakableWay(service.url);
    const far = await servePage({ ...config, api_base: way.url }, 0);
    onTestFinished(() => {
      far.close();
      way.close();
    });
    const [near, { tab, enter, notes }] = [await open(), await open()];
    await near.enter('Sign up', 'joan@example.com');
    await near.tab.getByText('Signed in as').waitFor();
    await tab.clock.install();
    await tab.goto(far.url);
    await enter('Sign in', 'joan@example.com');
    await tab.getByText('Signed in as').waitFor();
    await near.add('Heard');
    await notes.getByText('Heard').waitFor();
    way.hush();
    await near.add('Missed');
    await near.notes.getByText('Missed').waitFor();
    expect(await notes.count()).toBe(1);
    await expect
      .poll(async () => {
        await tab.clock.runFor(60_000);
        return notes.count();
      })
      .toBe(2);
  });

  test('tables that are live no longer are said, instead of never being heard of again', async () => {
    const { tab, enter } = await open();
    await enter('Sign up', 'mary@example.com');
    await tab.getByText('Signed in as').waitFor();
    const headers = { apikey: config.anon_key };
    expect((await fetch(`${service.url}/live/v1/changes?tables=none`, { headers })).status).toBe(403);
    await tab.route('**/live/v1?*', (route) => route.continue({ url: route.request().url().replace('notes', 'none') }));
    await tab.reload();
    await expect.poll(() => tab.getByRole('alert').textContent()).toBe('The table none is not live.');
  });

  test('what is refused is said', async () => {
    const { tab, enter } = await open();
    await enter('Sign in', 'nobody@example.com');
    await expect.poll(() => tab.getByRole('alert').textContent()).not.toBe('');
    expect(await tab.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true);
  });

  // What the row client adds when it tries again, and what an app's policies may read.
  test('a page of another origin may send headers that the gateway has never heard of', async () => {
    const { tab } = await open();
    const status = await tab.evaluate(async (url) => {
      const headers = { apikey: 'none', authorization: 'Bearer none', 'x-retry-count': '1', 'x-tenant': 'a' };
      return (await fetch(`${url}/rest/v1/notes`, { headers })).status;
    }, service.url);
    expect(status).toBe(401);
  });
});
