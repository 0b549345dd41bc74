import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../scripts/build-console.ts';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { shop } from '../audit/fixture-sites.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { type ConsolePage, openConsole } from '../helpers/console-page.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { notes, tasks } from '../live/live-project.ts';

const program = chromiumProgram();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const adminKey = 'a-key-for-the-outbox-0123456789abcdef';

describe.skipIf(program === undefined)('pages of the console in Chromium', async () => {
  await buildConsole();
  const sites = await startSites({ 'shop.audit-sites.net': shop });
  const service = await startService({ auditTrial: sites.trial, env: { SVC_ADMIN_KEY: adminKey } });
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const key = service.actors.bearer(serviceKey);
  afterAll(async () => {
    await service.stop();
    sites.close();
  });

  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** The console of an owner of the organization. */
  async function asOwner(more: object = {}): Promise<ConsolePage> {
    const opened = await openConsole(browser, { url: service.url, ...more });
    await opened.visit('');
    await opened.enter();
    const menu = opened.page.getByRole('button', { name: 'Menu' });
    if (await menu.isVisible()) await menu.click();
    const body = { wallet: await opened.address(), role: 'owner' };
    const added = await service.call(wallet, 'POST', `/orgs/v1/${orgId}/members`, { body });
    expect(added.status).toBeLessThan(300);
    return opened;
  }

  const post = async (path: string, body: object, actor: Parameters<typeof service.call>[0] = wallet) => {
    const answer = await service.call<Record<string, string>>(actor, 'POST', path, { body });
    expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
    return answer.body;
  };

  const run = (sql: string) => post(`/projects/v1/admin/${projectId}/sql`, { sql }, key);
  beforeAll(async () => {
    await run(`create table notes (id bigint generated always as identity primary key, body text);
      create table tasks (id bigint generated always as identity primary key, user_id uuid, body text)`);
    await post(`/projects/v1/admin/${projectId}/expose`, { version: 1, tables: [notes, tasks] }, key);
  });

  test('rows show up as they are written, and what a visitor may see is less', async () => {
    const { page, visit, press } = await asOwner();
    await visit(`/projects/${projectId}/rows`);
    await page.getByLabel('Table').selectOption('notes');
    await page.getByText('No rows').waitFor();
    await run("insert into notes (body) values ('the first')");
    const rows = page.getByRole('region', { name: 'Rows of notes' });
    await rows.getByText('the first').waitFor();
    await run("update notes set body = 'the second'");
    await rows.getByText('the second').waitFor();

    await page.getByLabel('Table').selectOption('tasks');
    await page.getByLabel('Statements').fill("insert into tasks (body) values ('hidden') returning body");
    await press('Run');
    await page.getByRole('region', { name: 'What was answered' }).getByText('hidden').waitFor();
    await page.getByRole('region', { name: 'Rows of tasks' }).getByText('hidden').waitFor();
    await page.getByLabel('Seen with').selectOption('anon');
    await page.getByText('No rows').waitFor();

    await page.getByLabel('Statements').fill('select nothing');
    await press('Run');
    await page.getByRole('alert').getByText('SQL_ERROR').waitFor();
  });

  test('an escalation shows up as it is raised, and is acknowledged and resolved with a note', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit(`/orgs/${orgId}/escalations`);
    await fill('Mail address', 'ada@example.com');
    await press('Add contact');
    await page.getByRole('button', { name: 'Remove ada@example.com' }).waitFor();
    await post(`/orgs/v1/${orgId}/escalations`, { reason: 'The import does not end.', severity: 'high' });
    await page.getByRole('link', { name: 'The import does not end.' }).click();
    await page.getByRole('heading', { name: 'The import does not end.' }).waitFor();
    await page.getByRole('region', { name: 'Pages, one a row' }).getByText('ada@example.com').waitFor();
    await press('Acknowledge');
    await page.getByText('Acknowledged', { exact: true }).waitFor();
    await fill('What was done about it', 'It was killed.');
    await press('Resolve');
    await page.getByText('It was killed.').waitFor();
    expect(await page.getByRole('button', { name: 'Resolve' }).count()).toBe(0);
  });

  test('failures are listed with their verdict and drawn over time', async () => {
    const occurrence = { function: 'checkout', kind: 'uncaught', name: 'TypeError', message: 'x is not a function' };
    const path = `/projects/v1/${projectId}/errors`;
    const { page, visit, press } = await asOwner();
    await visit(`/projects/${projectId}/errors`);
    await page.getByText('no traffic says nothing').waitFor();
    await post(`${path}/occurrences`, { occurrences: [{ ...occurrence, sample_id: 'req_1' }] }, key);
    await post(`${path}/invocations`, { invocations: [{ function: 'checkout', count: 40 }] }, key);
    await press('Show');
    await page.getByText('1 failure is new.').waitFor();
    await page
      .getByRole('list', { name: 'Failures' })
      .getByText(/^TypeError: /)
      .waitFor();
    // The chart as those read it who cannot see it: the last part of the window has both.
    const runs = page.getByRole('table', { name: 'Runs of functions' });
    await expect.poll(() => runs.getByRole('row').last().getByRole('cell').textContent()).toBe('40');
    const seen = page.getByRole('table', { name: 'Failures around, by when they were first seen' });
    expect(await seen.getByRole('row').last().getByRole('cell').allTextContents()).toEqual(['1', '0']);
  });

  test('events show up as they happen, and only those that are asked for', async () => {
    const tell = (name: string, number: number) => {
      const body = { event_type: name, payload: { number }, idempotency_key: `${number}` };
      return post(`/projects/v1/${projectId}/events`, body, key);
    };
    const { page, visit, press, fill } = await asOwner();
    await visit(`/orgs/${orgId}/events`);
    const log = page.getByRole('log');
    await page.getByLabel('Source').selectOption('APP');
    await press('Show');
    await page.getByText('Nothing happened yet').waitFor();
    await tell('order_paid', 1);
    await tell('order_sent', 2);
    await log.getByText('order_sent', { exact: true }).waitFor();
    expect(await log.locator('strong').allTextContents()).toEqual(['order_sent', 'order_paid']);
    await page.getByLabel('Project').selectOption(projectId);
    await fill('Types', 'order_paid');
    await press('Show');
    await log.getByText('order_sent', { exact: true }).waitFor({ state: 'detached' });
    await tell('order_sent', 3);
    await tell('order_paid', 4);
    await expect.poll(() => log.locator('strong').allTextContents()).toEqual(['order_paid', 'order_paid']);
  });

  test('an audit is told of step by step, and its scores are drawn', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit('/audits');
    await fill('Address', 'https://shop.audit-sites.net/shoes');
    await press('Audit');
    const steps = page.getByRole('log', { name: 'Steps of the audit' });
    await steps.getByText('Finished').waitFor();
    expect(await steps.getByText(/^Read the page: 200/).count()).toBe(1);
    const score = await page.getByRole('img', { name: /^Over all: / }).getAttribute('aria-label');
    expect(Number(/(\d+) of 100/.exec(score!)![1])).toBeGreaterThan(30);
    await page.getByRole('list', { name: 'Findings' }).getByRole('listitem').first().waitFor();
    expect(await violations(page)).toEqual([]);

    await fill('Address', 'http://127.0.0.1/');
    await press('Audit');
    await page.getByRole('alert').waitFor();
  });

  test('the outbox is for the platform admin alone, and says so', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit('/outbox');
    await page.getByRole('heading', { name: 'For the platform admin' }).waitFor();
    await fill('Admin key', 'not-the-key-of-this-installation');
    await press('Open the outbox');
    await page.getByRole('alert').getByText('INVALID_AUTH').waitFor();
    await press('Try another key');
    await fill('Admin key', adminKey);
    await press('Open the outbox');
    await fill('Send a test mail to', 'grace@example.com');
    await press('Send');
    await page.getByRole('list', { name: 'Mails' }).getByText('grace@example.com').waitFor();
    // It is kept nowhere.
    await page.reload();
    await page.getByRole('heading', { name: 'For the platform admin' }).waitFor();
  });

  /** Every page, with what says that it has come. */
  const pages = (escalation: string) =>
    [
      ['', 'Requests'],
      ['/orgs', 'New organization'],
      [`/orgs/${orgId}`, 'Tier and use'],
      [`/orgs/${orgId}/rooms`, 'All rooms'],
      [`/orgs/${orgId}/rooms/standup`, 'Who is here'],
      [`/orgs/${orgId}/events`, 'Follow: show'],
      [`/orgs/${orgId}/escalations`, 'Who is paged'],
      [`/orgs/${orgId}/escalations/${escalation}`, 'Pages that went out'],
      [`/projects/${projectId}`, 'Get the keys'],
      [`/projects/${projectId}/rows`, 'Statements'],
      [`/projects/${projectId}/errors`, 'Verdict'],
      [`/orgs/${crypto.randomUUID()}`, 'NOT_AUTHORIZED'],
      ['/audits', 'Lately'],
      ['/outbox', 'Admin key'],
      ['/no/such/page', 'Go to the overview'],
    ] as const;

  interface Violations {
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  }

  async function violations(page: Page): Promise<string[]> {
    // What arrives has arrived: while it fades in its colours are not its own.
    await page.evaluate('Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})))');
    await page.evaluate(axe);
    const found = await page.evaluate<Violations>('axe.run({ resultTypes: ["violations"] })');
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${page.url()} ${id}: ${html}`));
  }

  const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

  test.each([
    ['light', 1280],
    ['dark', 360],
    ['dark', 3840],
  ] as const)(
    'every page can be used by everybody: %s, %i pixels wide',
    async (colorScheme, width) => {
      await post(`/orgs/v1/${orgId}/rooms/standup/messages`, { body: 'A word that is very long: '.padEnd(400, 'x') });
      const raised = await post(`/orgs/v1/${orgId}/escalations`, { reason: `Look at it at ${width} pixels.` });
      const { page, visit } = await openConsole(browser, {
        url: service.url,
        colorScheme,
        viewport: { width, height: 900 },
      });
      await visit('');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const found = await violations(page);
      const wide = [await overflow(page)];
      const { page: inside, visit: go } = await asOwner({ colorScheme, viewport: { width, height: 900 } });
      for (const [path, sign] of pages(raised.escalation_id!)) {
        await go(path);
        await inside.getByText(sign).first().waitFor();
        await inside.getByText('Loading…').first().waitFor({ state: 'detached' });
        found.push(...(await violations(inside)));
        wide.push(await overflow(inside));
      }
      expect(found).toEqual([]);
      expect(wide.filter((by) => by > 0)).toEqual([]);
      // Some fifteen pages, each loaded anew and looked at whole.
    },
    300_000,
  );

  test('the switch wins over the system’s colours, and is remembered', async () => {
    const { page, visit } = await openConsole(browser, { url: service.url, colorScheme: 'light' });
    await visit('');
    const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.getByLabel('Colours').selectOption('dark');
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByLabel('Colours').waitFor();
    expect(await ground()).toBe(dark);
  });

  test('an organization is made and a message sent with the keyboard alone', async () => {
    const { page, visit } = await openConsole(browser, { url: service.url });
    await visit('');
    /** Presses Tab, or Tab backwards, until what is reached goes by this name. */
    const reach = async (name: string, key = 'Tab') => {
      const seen: string[] = [];
      for (let pressed = 0; pressed < 60; pressed++) {
        await page.keyboard.press(key);
        const reached = await page.evaluate<string>(`(() => {
          const one = document.activeElement;
          return (one.labels?.[0]?.textContent ?? one.getAttribute('aria-label') ?? one.textContent ?? '').trim();
        })()`);
        if (reached === name) return;
        seen.push(reached);
      }
      throw new Error(`Not reached by Tab: ${name}. Reached were ${seen.join(', ')}`);
    };
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('button', { name: 'Use a throw-away key' }).waitFor();
    await reach('Use a throw-away key');
    await page.keyboard.press('Enter');
    await heading('Overview');
    await page.getByRole('link', { name: 'Create an organization' }).waitFor();
    await reach('Create an organization');
    await page.keyboard.press('Enter');
    await heading('Organizations');
    await reach('Name');
    await page.keyboard.type('By Hand');
    await page.keyboard.press('Enter');
    await heading('By Hand');
    await reach('Rooms', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await heading('Rooms');
    await reach('Key of the room');
    await page.keyboard.type('standup');
    await page.keyboard.press('Enter');
    await heading('standup');
    await page.getByText('Nothing was said yet').waitFor();
    await reach('Message');
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.locator('[data-message]').getByText('Hello').waitFor();
  });

  test('the first load is less than 200 KB of packed script, and other pages come when they are gone to', async () => {
    const { page, visit, enter } = await openConsole(browser, { url: service.url });
    const loaded = new Map<string, number>();
    page.on('response', async (response) => {
      const type = (await response.allHeaders())['content-type'] ?? '';
      if (!type.includes('javascript')) return;
      loaded.set(response.url(), Number((await response.allHeaders())['content-length']));
    });
    await visit('');
    await enter();
    await page.getByText('You belong to no organization yet').waitFor();
    const bytes = [...loaded.values()].reduce((sum, one) => sum + one, 0);
    expect(bytes).toBeGreaterThan(30_000);
    expect(bytes).toBeLessThan(200_000);
    const before = loaded.size;
    await page.getByRole('link', { name: 'Audits' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audits' }).waitFor();
    expect(loaded.size).toBeGreaterThan(before);
  });
});
