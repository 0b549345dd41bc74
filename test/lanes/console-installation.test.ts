import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { shop } from '../audit/fixture-sites.ts';
import { asProcess, terminal } from '../cli/command.ts';
import type { ConsolePage } from '../helpers/console-page.ts';
import { startSites } from '../helpers/site-server.ts';
import { startConsoleWorld, unreadable, violations } from './console-owner.ts';

const adminKey = 'a-key-for-the-outbox-0123456789abcdef';

describe.skipIf(chromiumProgram() === undefined)('the installation in the console', async () => {
  const sites = await startSites({ 'shop.audit-sites.net': shop });
  const backups = await mkdtemp(join(tmpdir(), 'svc-test-console-backups-'));
  const world = await startConsoleWorld({
    auditTrial: sites.trial,
    env: { SVC_ADMIN_KEY: adminKey, SVC_BACKUP_DIR: backups },
  });
  const { service, orgId } = world;
  afterAll(async () => {
    sites.close();
    await rm(backups, { recursive: true, force: true });
  });

  /** The console of somebody who holds the admin key, at a page of the installation. */
  async function asAdmin(path: string, more: Parameters<typeof world.open>[0] = {}): Promise<ConsolePage> {
    const opened = await world.open(more);
    await opened.visit('');
    await opened.enter();
    await opened.visit(path);
    await opened.fill('Admin key', adminKey);
    await opened.press('Open');
    await opened.page.getByRole('button', { name: 'Forget the admin key' }).waitFor();
    return opened;
  }

  test('the admin key alone opens the pages, before anybody has signed in', async () => {
    const { page, visit, press, fill } = await world.open();
    await visit('/installation/outbox');
    await fill('Admin key', adminKey);
    await press('Open');
    await page.getByText('No mail yet').waitFor();
    await page.getByRole('link', { name: 'Nodes', exact: true }).click();
    await page.getByRole('button', { name: 'Forget the admin key' }).waitFor();
    await press('Sign in');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('the pages ask for the admin key once, refuse a wrong one at once, and keep it nowhere', async () => {
    const { page, visit, enter, press, fill } = await world.open();
    await visit('');
    await enter();
    await visit('/outbox');
    await page.waitForURL('**/console/installation/outbox');
    await fill('Admin key', 'not-the-key-of-this-installation');
    await press('Open');
    await page.getByText('This is not the admin key of this gateway.').waitFor();
    expect(await page.getByRole('group', { name: 'Mails' }).count()).toBe(0);
    // What was typed is still there to be mended.
    expect(await page.getByLabel('Admin key', { exact: true }).inputValue()).toBe('not-the-key-of-this-installation');
    await fill('Admin key', adminKey);
    await press('Open');
    await page.getByText('No mail yet').waitFor();
    for (const name of ['Limits', 'Incidents', 'Nodes', 'Backups', 'All organizations']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('button', { name: 'Forget the admin key' }).waitFor();
      expect(await page.getByLabel('Admin key').count()).toBe(0);
    }
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href')).not.toContain(
      adminKey,
    );
    await page.reload();
    await page.getByLabel('Admin key').waitFor();
  });

  test('who signs out leaves no key behind', async () => {
    const { page, enter, press, chooseInMenu, visit } = await asAdmin('/installation/limits');
    await page.getByRole('group', { name: 'Limits by tier' }).waitFor();
    await chooseInMenu('Sign out');
    await page.getByLabel('Admin key').waitFor();
    await press('Sign in');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await enter();
    await visit('/installation/limits');
    await page.getByLabel('Admin key').waitFor();
  });

  test('an organization is found, and its limits and its balance are changed', async () => {
    const { orgId: other } = await service.owner('Wanted & found');
    const { page, press, fill } = await asAdmin('/installation');
    const list = page.getByRole('group', { name: 'Organizations' });
    await list.getByRole('link', { name: /Wanted & found/ }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill(other.slice(0, 13));
    await expect.poll(() => list.getByRole('row').count()).toBe(2);
    await list.getByRole('link', { name: /Wanted & found/ }).click();
    const panel = page.getByRole('region', { name: 'Wanted & found' });
    await panel.getByText('All limits are those of the tier').waitFor();
    await press('Set limits');
    await fill('Projects', '7 or so');
    const set = page.getByRole('alertdialog').getByRole('button', { name: 'Set limits' });
    expect(await set.isDisabled()).toBe(true);
    await fill('Projects', '7');
    await set.click();
    await panel.getByText('0 of 7').waitFor();
    await press('Add credit');
    await fill('Amount in dollars', '12.5');
    await press('Add $12.50');
    await panel.getByText('$12.50').waitFor();
    // The address leads here again, and the limits page names it.
    expect(new URL(page.url()).searchParams.get('org')).toBe(other);
    await page.getByRole('link', { name: 'Limits', exact: true }).click();
    await page
      .getByRole('group', { name: /limits of their own/ })
      .getByText('Projects 7')
      .waitFor();
    const [row] = await service.control.sql('select limit_overrides from orgs where id = $1', [other]);
    expect(row).toEqual({ limit_overrides: { projects: 7 } });
  });

  test('credit whose answer was lost is added once, although the button is pressed again', async () => {
    const { orgId: other } = await service.owner('Paid once');
    const { page, press, fill } = await asAdmin(`/installation?org=${other}`);
    const panel = page.getByRole('region', { name: 'Paid once' });
    await press('Add credit');
    await fill('Amount in dollars', '5');
    let lost = 0;
    await page.route('**/graphql', async (route) => {
      if (lost > 0 || !route.request().postData()!.includes('amountUsdMicros')) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort();
    });
    await press('Add $5.00');
    await page.getByRole('alertdialog').getByRole('alert').waitFor();
    expect(lost).toBe(1);
    await press('Add $5.00');
    await panel.getByText('$5.00').waitFor();
    const [row] = await service.control.sql(
      'select available_usd_micros::int as micros from org_balances where org_id = $1',
      [other],
    );
    expect(row).toEqual({ micros: 5_000_000 });
  });

  test('the way back from a search empties the field, and does not search again', async () => {
    const { page } = await asAdmin('/installation');
    const search = page.getByRole('searchbox', { name: 'Search' });
    const searched = () => new URL(page.url()).searchParams.get('search');
    await page.evaluate(`history.pushState(null, '', '?search=kept'); dispatchEvent(new PopStateEvent('popstate'))`);
    await expect.poll(() => search.inputValue()).toBe('kept');
    await page.goBack();
    await expect.poll(() => search.inputValue()).toBe('');
    await page.waitForTimeout(500);
    expect(searched()).toBe(null);
  });

  test('an incident is declared once, however often the button is pressed, and resolved', async () => {
    const { page, press, fill } = await asAdmin('/installation/incidents');
    await press('Declare incident');
    await fill('Summary', 'Mail is late.');
    const declare = page.getByRole('alertdialog').getByRole('button', { name: 'Declare' });
    await declare.dispatchEvent('click');
    await declare.dispatchEvent('click').catch(() => undefined);
    const row = page.getByRole('row').filter({ hasText: 'Mail is late.' });
    await row.getByText('Ongoing').waitFor();
    expect(await service.control.sql('select 1 from platform_incidents')).toHaveLength(1);
    await press('Resolve: Mail is late.');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Resolve' }).click();
    await row.getByText('Resolved').waitFor();
  });

  test('nodes are shown as they are, and one that was killed as gone', async () => {
    await service.control.sql(
      `insert into gateway_nodes (id, host, pid, version, url, started_at, seen_at, lag_ms, rss_bytes, heap_bytes,
         pool_total, pool_idle, pool_waiting, sockets, subscriptions)
       values ('nod_killed', 'elsewhere', 7, '0', 'http://10.0.0.7:4000', now(), now() - interval '1 minute',
         1, 1, 1, 1, 1, 0, 0, 0)`,
    );
    const { page } = await asAdmin('/installation/nodes');
    const nodes = page.getByRole('group', { name: 'Nodes' }).getByRole('row');
    await nodes.filter({ hasText: 'elsewhere' }).getByText('Gone').waitFor();
    await nodes.filter({ hasText: 'answers this page' }).getByText('Alive').waitFor();
    // It stops cleanly: the list of the gateway no longer has it, and the page remembers it.
    await service.control.sql(`update gateway_nodes set seen_at = now() where id = 'nod_killed'`);
    await nodes.filter({ hasText: 'elsewhere' }).getByText('Alive').waitFor();
    await service.control.sql(`delete from gateway_nodes where id = 'nod_killed'`);
    await nodes.filter({ hasText: 'elsewhere' }).getByText('Stopped').waitFor();
  });

  test('a backup is started, and is in the list once it is made', async () => {
    const { page, press } = await asAdmin('/installation/backups');
    await page.getByText('No backup yet').waitFor();
    await press('Back up now');
    await page.getByText('The last backup from here is whole').waitFor({ timeout: 240_000 });
    const row = page.getByRole('group', { name: 'Backups' }).getByRole('row').nth(1);
    await row.getByText('Whole').waitFor();
    await page.getByText('Of the last 24 hours').waitFor();
  });

  test('mail is tried, filtered and read, with links to follow and markup as text', async () => {
    await service.control.sql(
      `insert into mail_outbox (id, recipient, subject, body_text, state, last_error, attempts)
       values ('mail_failed', 'grace@example.com', 'Given up', $1, 'failed', 'No such user', 10)`,
      ['Go to https://example.com/in?token=abc.\n<img src=x onerror="document.title = 1">'],
    );
    const { page, press, fill } = await asAdmin('/installation/outbox');
    await press('Send test mail');
    await fill('Address', 'tried@example.com');
    await press(/^Send$/);
    const mails = page.getByRole('group', { name: 'Mails' });
    await mails.getByText('tried@example.com').waitFor();
    await page.getByRole('button', { name: /State/ }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await mails.getByText('tried@example.com').waitFor({ state: 'detached' });
    await mails.getByRole('link', { name: 'Given up' }).click();
    const mail = page.getByRole('region', { name: 'Given up' });
    await mail.getByText('No such user').waitFor();
    expect(await mail.getByRole('link').getAttribute('href')).toBe('https://example.com/in?token=abc');
    await mail.getByText('<img src=x').waitFor();
    expect(await mail.locator('img').count()).toBe(0);
  });

  test('an audit is told of step by step, and its scores are drawn', async () => {
    const { page, visit, press, fill } = await world.asOwner();
    await visit('/audits');
    await fill('Address', 'https://shop.audit-sites.net/shoes');
    await press('Audit');
    const steps = page.getByRole('log', { name: 'Steps of the audit' });
    await steps.getByText('Finished').waitFor();
    expect(await steps.getByText(/^Read the page: 200/).count()).toBe(1);
    const score = await page.getByRole('img', { name: /^Overall: / }).getAttribute('aria-label');
    expect(Number(/(\d+) of 100/.exec(score!)![1])).toBeGreaterThan(30);
    await page.getByRole('list', { name: 'Findings' }).getByRole('listitem').first().waitFor();
    expect(await violations(page)).toEqual([]);

    await fill('Address', 'http://127.0.0.1/');
    await press('Audit');
    await page.getByRole('alert').waitFor();
  });

  test('a member changes the own name and names an address for notices', async () => {
    const { page, visit, press, fill } = await world.asOwner();
    await visit('/you');
    await press('Change name');
    await fill('Name for others', 'Ada L.');
    await press('Save');
    await page.getByRole('region', { name: 'Profile' }).getByText('Ada L.').waitFor();
    await press('Add an address');
    await fill('Contact’s name', 'Ada');
    await fill('Mail address', 'ada@example.com');
    await press('Save');
    await page.getByText('Not verified yet').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a person is led to the gateway’s own pages, and to commands that there are', async () => {
    const { page, visit, enter } = await world.open();
    await visit('');
    await enter();
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    const links = page.getByRole('list', { name: 'In this browser' }).getByRole('link');
    await expect.poll(() => links.count()).toBe(4);
    for (const link of await links.all()) {
      const path = await link.getAttribute('href');
      // Who is not signed in there yet is asked to be, and comes back.
      const answer = await page.request.get(service.url + path);
      expect(await answer.text()).toContain('<h1>Sign in</h1>');
      const { pathname, searchParams } = new URL(answer.url());
      expect(searchParams.get('return_to') ?? pathname).toBe(path);
    }
    const { svc, remove } = await terminal(undefined, asProcess());
    onTestFinished(remove);
    const commands = await page.getByRole('group', { name: 'Commands' }).locator('code').allTextContents();
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) {
      const [, group, name, ...rest] = command.split(' ');
      const { stdout } = await svc(group!, name!, '--help');
      expect(stdout).toContain(`svc ${group} ${name}: `);
      // Flags, and which actions there are to approve.
      for (const word of rest.filter((one) => /^--|\./.test(one))) expect(stdout).toContain(word);
    }
  });

  test.each([
    ['light', 360],
    ['dark', 1280],
  ] as const)(
    'every page of the installation can be used by everybody: %s, %i pixels wide',
    async (colorScheme, width) => {
      const { page } = await asAdmin('/installation', { colorScheme, viewport: { width, height: 900 } });
      const visitWithin = (path: string) =>
        page.evaluate(`history.pushState(null, '', '/console${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
      for (const [path, sign] of [
        [`/installation?org=${orgId}`, 'Limits of its own'],
        ['/installation/limits', 'Delegates per project'],
        ['/installation/incidents', 'Declare incident'],
        ['/installation/nodes', 'Control database'],
        ['/installation/backups', 'Folder'],
        ['/installation/outbox', 'Send test mail'],
      ] as const) {
        await visitWithin(path);
        await page.getByText(sign).first().waitFor();
        await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
        expect(await violations(page)).toEqual([]);
        expect(await unreadable(page)).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      }
    },
    240_000,
  );
});
