import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { startConsoleStage } from '../helpers/console-page.ts';
import { startUpgradedConsole } from '../helpers/upgraded-console.ts';
import { addVirtualAuthenticator } from '../helpers/virtual-authenticator.ts';
import { freshEmail, peopleOf, plane } from '../sessions/person.ts';
import { pressIfThere } from './console-choose.ts';
import { violations } from './console-owner.ts';
import { followLink, mailedLink } from './person-browser.ts';

const program = chromiumProgram();

interface Named {
  readonly textContent: string | null;
  readonly getAttribute: (name: string) => string | null;
}

describe.skipIf(program === undefined)('the console for people without a wallet, in Chromium', async () => {
  const { service, open: openPage } = await startConsoleStage();
  const people = peopleOf(service);
  // Browsers bind passkeys to names, not to addresses.
  const origin = service.url.replace('127.0.0.1', 'localhost');

  async function open(more: object = {}) {
    const opened = await openPage({ url: origin, ...more });
    const authenticator = await addVirtualAuthenticator(opened.page);
    const heading = (name: string) => opened.page.getByRole('heading', { level: 1, name }).waitFor();
    return { ...opened, authenticator, heading, email: freshEmail() };
  }

  type Opened = Awaited<ReturnType<typeof open>>;

  /** Asks for a link from where the page is, and opens it in another tab, as mail programs do. */
  async function byMail({ page, email }: Opened): Promise<Page> {
    const link = await mailedLink(people, page, email, { label: 'Mail address', button: 'Mail me a link' });
    const tab = await page.context().newPage();
    await followLink(tab, origin + link, email);
    await tab.waitForURL('**/console**');
    return tab;
  }

  /** As whoever goes back to the page that has gone on by itself: browsers show passkeys to nobody who looks elsewhere. */
  async function byMailAndBack(opened: Opened) {
    const tab = await byMail(opened);
    await tab.close();
    await opened.page.bringToFront();
  }

  test('a mailed link signs in where it is opened and where it was asked for, and the session outlives a load', async () => {
    const opened = await open();
    const { page, visit, heading, email } = opened;
    await visit('/orgs');
    const tab = await byMail(opened);
    await tab.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor();
    expect(new URL(tab.url()).pathname).toBe('/console/orgs');
    await heading('Organizations');
    await page.getByRole('button', { name: `Your menu: ${email}` }).waitFor();
    await page.reload();
    await heading('Organizations');
    // No script could read what it goes by.
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(/v1\.ses_|eyJ/);
  });

  test('a change that takes a passkey asks for one where it is made, adds the first one, and goes on', async () => {
    const opened = await open();
    const { page, visit, heading, press, fill } = opened;
    await visit('/orgs');
    await byMailAndBack(opened);
    await heading('Organizations');
    await press('New organization');
    await fill('Name', 'People alone');
    await press('Create organization');
    const dialog = page.getByRole('alertdialog', { name: 'Confirm with your passkey' });
    await dialog.getByText('To create an organization').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByText('You have no passkey yet').waitFor();
    await press('Add a passkey');
    await heading('People alone');

    // A new project takes an approval of its own, which holds for the next one.
    await press('New project');
    await fill('Name', 'One');
    await press('Create project');
    await dialog.getByText('Create projects in the organization').waitFor();
    await press('Use a passkey');
    await page.getByText('One is created.').waitFor();
    await page.goBack();
    await heading('People alone');
    await press('New project');
    await fill('Name', 'Two');
    await press('Create project');
    await page.getByText('Two is created.').waitFor();
  });

  async function withPasskey() {
    const opened = await open();
    await opened.visit('/orgs');
    await byMailAndBack(opened);
    await opened.heading('Organizations');
    await opened.press('New organization');
    await opened.fill('Name', 'First');
    await opened.press('Create organization');
    await opened.press('Add a passkey');
    await opened.heading('First');
    return opened;
  }

  /** Has the passkey count as never shown. */
  const goStale = (email: string) =>
    service.control.sql(
      `update sessions set amr_times = amr_times - 'passkey' where principal_id in
        (select principal_id from authenticators where public_subject = $1)`,
      [email],
    );

  test('who would rather not is told what was refused, and keeps what they typed', async () => {
    const { page, visit, heading, press, fill, email } = await withPasskey();
    await goStale(email);
    await visit('/orgs');
    await heading('Organizations');
    await press('New organization');
    await fill('Name', 'Second');
    await press('Create organization');
    const dialog = page.getByRole('alertdialog', { name: 'Confirm with your passkey' });
    await dialog.waitFor();
    await expect.poll(() => dialog.evaluate((one) => one.matches(':focus-within'))).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText('STEP_UP_REQUIRED').waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Second');
    // The keyboard is where it was.
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name');
  });

  test('keys are shown to who confirms that it is them, and are not asked for before', async () => {
    const { page, heading, press, fill, email } = await withPasskey();
    await press('New project');
    await fill('Name', 'One');
    await press('Create project');
    await press('Use a passkey');
    await heading('One');
    await goStale(email);
    await press('Get the keys');
    await page.getByRole('alert').getByText('STEP_UP_REQUIRED').waitFor();
    const dialog = page.getByRole('alertdialog', { name: 'Confirm with your passkey' });
    expect(await dialog.count()).toBe(0);
    await press('Confirm and go on');
    await dialog.getByText('To see the keys of the project').waitFor();
    await press('Use a passkey');
    await page.getByRole('button', { name: 'Show service key' }).waitFor();
    expect(await page.locator('.refusal').count()).toBe(0);
  });

  test('who only looks on is offered nothing that changes anything', async () => {
    const { wallet, orgId, projectId } = await service.project();
    const { page, visit, heading, email } = await open();
    const invite = { email, role: 'developer' };
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/invites`, { body: invite });
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/standup/messages`, { body: { body: 'Hello' } });
    const raised = await service.call<{ readonly escalation_id: string }>(
      wallet,
      'POST',
      `/orgs/v1/${orgId}/escalations`,
      { body: { reason: 'Look at it.' } },
    );
    const { principalId } = await people.byMail(email);
    const promoted = await service.call(wallet, 'PATCH', `/orgs/v1/${orgId}/members/${principalId}`, {
      body: { role: 'owner' },
    });
    expect(promoted.status).toBe(200);
    const { token } = await people.operatorByMail(email);
    await visit('');
    await heading('Sign in');
    const status = await page.evaluate<number>(
      `fetch('${plane}/session/browser', { method: 'POST', body: '{}', headers: {
        'content-type': 'application/json', authorization: 'Bearer ${token}' } }).then((answer) => answer.status)`,
    );
    expect(status).toBe(200);
    /** Buttons that change nothing but what is shown, by the page. To copy an id changes nothing, either. */
    const harmless: Record<string, readonly string[]> = {
      [`/orgs/${orgId}/rooms/standup`]: ['People and claims', 'More'],
      [`/projects/${projectId}/errors`]: ['Last 24 hours'],
    };
    for (const [path, sign] of [
      ['', 'New errors, 24 h'],
      ['/orgs', 'Your role'],
      [`/orgs/${orgId}`, 'Storage'],
      [`/orgs/${orgId}?tab=members`, 'No open invitations'],
      [`/orgs/${orgId}?tab=settings`, 'Your role'],
      [`/projects/${projectId}/sharing`, 'Not shared'],
      [`/orgs/${orgId}/rooms/standup`, 'Hello'],
      [`/orgs/${orgId}/escalations`, 'Look at it.'],
      [`/orgs/${orgId}/escalations/${raised.body.escalation_id}`, 'No contact has been notified yet'],
      [`/projects/${projectId}`, 'Requests with the project’s keys, this period'],
      [`/projects/${projectId}/tables`, 'Not in a session that only reads'],
      [`/projects/${projectId}/errors`, 'No errors in this time'],
    ] as const) {
      await visit(path);
      await page.getByText(sign).first().waitFor();
      await page.getByText('Loading…').first().waitFor({ state: 'detached' });
      const offered = async () => {
        const names = await page
          .getByRole('main')
          .getByRole('button')
          .evaluateAll((buttons: readonly Named[]) =>
            buttons.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
          );
        return { path, offered: names.filter((name) => !name.startsWith('Copy ')) };
      };
      // Parts of a page come one after the other.
      await expect.poll(offered).toEqual({ path, offered: harmless[path] ?? [] });
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    }
    await page.getByText('This session only reads.').waitFor();
  });

  test('who was invited as an owner and has no passkey is told so, adds one, and belongs', async () => {
    const { wallet, orgId } = await service.owner('Analytical Engines');
    const opened = await open();
    const { page, visit, heading, press, email } = opened;
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/invites`, { body: { email, role: 'owner' } });
    await visit('');
    await byMailAndBack(opened);
    await heading('Overview');
    const invited = page.getByRole('list', { name: 'Invitations to you' }).getByRole('listitem');
    await invited.getByText('Analytical Engines').waitFor();
    await invited.getByText('owner').waitFor();
    await page.getByText('Your membership begins when you add your first one.').waitFor();
    expect(await page.getByText('Create your first organization').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await press('Add a passkey');
    await page.getByRole('main').getByRole('link', { name: 'Analytical Engines' }).waitFor();
    await invited.waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('a passkey signs in, signing out ends the session in every tab, and the next visit begins outside', async () => {
    const { page, press, heading, visit, chooseInMenu, authenticator } = await withPasskey();
    const other = await page.context().newPage();
    await other.goto(`${origin}/console/audits`);
    await other.getByRole('heading', { level: 1, name: 'Audits' }).waitFor();
    await chooseInMenu('Sign out');
    await heading('Sign in');
    await other.getByRole('alert').getByText('You signed out in another tab.').waitFor();
    await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await other.getByRole('heading', { name: 'Audits' }).count()).toBe(0);
    // The page of signing in is shown before the gateway has answered.
    await expect.poll(() => page.context().cookies()).toEqual([]);
    await visit('/audits');
    await heading('Sign in');
    await authenticator.recognises(false);
    await press('Sign in with a passkey');
    await page.getByRole('alert').getByText('No passkey was used').waitFor();
    await authenticator.recognises(true);
    await press('Sign in with a passkey');
    await heading('Audits');
  });

  /** Signs in anew in the same browser, as in another tab: the page that is open knows the token of the session before. */
  async function signInElsewhere({ page, email }: Opened) {
    const { token } = await people.byMail(email);
    const status = await page.evaluate<number>(
      `fetch('${plane}/session/browser', { method: 'POST', body: '{}', headers: {
        'content-type': 'application/json', authorization: 'Bearer ${token}' } }).then((answer) => answer.status)`,
    );
    expect(status).toBe(200);
  }

  test('a tab signs out of the session that began in another tab, and says so when the gateway does not end it', async () => {
    const opened = await open({ refusals: true });
    const { page, visit, heading, press, email, chooseInMenu } = opened;
    await visit('');
    await byMailAndBack(opened);
    await heading('Overview');
    await page.route(`**${plane}/session/browser/revoke`, (route) => route.fulfill({ status: 503, body: '{}' }));
    await chooseInMenu('Sign out');
    await page.getByRole('alert').getByText('you are still signed in with this browser').waitFor();
    await page.unroute(`**${plane}/session/browser/revoke`);
    await press(`Go on as ${email}`);
    await heading('Overview');
    await signInElsewhere(opened);
    await chooseInMenu('Sign out');
    await heading('Sign in');
    await expect.poll(() => page.context().cookies()).toEqual([]);
  });

  test('a passkey confirms a change in a tab whose session began anew in another one', async () => {
    const opened = await open();
    const { page, visit, heading, press, fill } = opened;
    await visit('/orgs');
    await byMailAndBack(opened);
    await heading('Organizations');
    await signInElsewhere(opened);
    await press('New organization');
    await fill('Name', 'Renewed');
    await press('Create organization');
    await press('Add a passkey');
    await heading('Renewed');
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('a gateway that fails ends no session: a page stays, and a load waits until the gateway is back', async () => {
    const opened = await open({ refusals: true });
    const { page, visit, heading } = opened;
    await visit('');
    await byMailAndBack(opened);
    await heading('Overview');
    const answers = [
      { status: 503, contentType: 'application/json', body: '{"code":"SERVICE_UNAVAILABLE"}' },
      { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' },
    ];
    for (const answer of answers) {
      await page.route('**/console/session.json', (route) => route.fulfill(answer));
      const asked = page.waitForResponse('**/console/session.json');
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      await asked;
      await page.waitForTimeout(200);
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);
      await page.reload();
      await page.getByText('The gateway does not answer').waitFor();
      await page.unroute('**/console/session.json');
      // It tries by itself as well.
      await pressIfThere(page, 'Try now');
      await heading('Overview');
    }
  });

  test('after an upgrade, a change that takes a passkey says so and keeps what was typed', async () => {
    const upgraded = await startUpgradedConsole(service.url);
    onTestFinished(upgraded.close);
    const opened = await open({ url: upgraded.url.replace('127.0.0.1', 'localhost'), refusals: true });
    const { page, visit, heading, press, fill } = opened;
    await visit('/orgs');
    await byMailAndBack(opened);
    await heading('Organizations');
    await press('New organization');
    await fill('Name', 'Typed before');
    upgraded.upgrade();
    await press('Create organization');
    await page.getByRole('alert').getByText('STEP_UP_REQUIRED').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed before');
    await page.getByText('The console was upgraded').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await violations(page)).toEqual([]);
    await press('Load it again');
    await heading('Organizations');
    await press('New organization');
    await fill('Name', 'Typed after');
    await press('Create organization');
    await press('Add a passkey');
    await heading('Typed after');
  });

  test('a session that the gateway has ended is over in every tab as soon as one of them learns it', async () => {
    const { page, email } = await withPasskey();
    const other = await page.context().newPage();
    await other.goto(`${origin}/console/audits`);
    await other.getByRole('heading', { level: 1, name: 'Audits' }).waitFor();
    await service.control.sql(
      `update sessions set revoked_at = now(), secret_hash = null where principal_id in
        (select principal_id from authenticators where public_subject = $1)`,
      [email],
    );
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    for (const tab of [page, other]) await tab.getByRole('alert').getByText('Your session has ended').waitFor();
  });

  test('a session that ends in mid-edit loses nothing: what was typed is there after signing in again', async () => {
    const { page, press, fill, email } = await withPasskey();
    await press('New project');
    await fill('Name', 'Half typed');
    await service.control.sql(
      `update sessions set revoked_at = now(), secret_hash = null where principal_id in
        (select principal_id from authenticators where public_subject = $1)`,
      [email],
    );
    await press('Create project');
    const cover = page.getByRole('dialog', { name: 'Sign in' });
    await cover.getByText('Your session has ended').waitFor();
    expect(await violations(page)).toEqual([]);
    await cover.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await cover.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half typed');
    await expect.poll(() => page.title()).toBe('First · Console');
    await press('Create project');
    await press('Use a passkey');
    await page.getByText('Half typed is created.').waitFor();
    const made = await service.control.sql('select id from projects where name = $1', ['Half typed']);
    expect(made).toHaveLength(1);
  });

  test('a killed connection is opened again without a question, and what was said meanwhile is heard', async () => {
    const { wallet, orgId } = await service.owner();
    const way = await startBreakableWay(service.url);
    onTestFinished(way.close);
    const opened = await open({ url: way.url.replace('127.0.0.1', 'localhost') });
    const { page, visit, email } = opened;
    const say = (body: string) =>
      service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/standup/messages`, { body: { body } });
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/invites`, { body: { email, role: 'developer' } });
    await visit(`/orgs/${orgId}/rooms/standup`);
    await byMailAndBack(opened);
    await page.getByText('No messages yet').waitFor();
    const bodies = () => page.locator('.message .body').allTextContents();
    await say('one');
    await expect.poll(bodies).toEqual(['one']);
    way.cut();
    await page.getByText('The connection is lost.').waitFor();
    await say('two');
    way.mend();
    await expect.poll(bodies).toEqual(['one', 'two']);
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
  });

  test('a page that is left alone leaves the session when that has ended without use', async () => {
    const { wallet, orgId } = await service.owner();
    const opened = await open();
    const { page, visit, email } = opened;
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/invites`, { body: { email, role: 'developer' } });
    await visit(`/orgs/${orgId}/rooms/standup`);
    await byMailAndBack(opened);
    await page.getByText('No messages yet').waitFor();
    await service.control.sql(`update sessions set last_used_at = now() - interval '32 minutes' where email = $1`, [
      email,
    ]);
    await page.getByRole('alert').getByText('Your session has ended').waitFor();
  });

  test('who uses a wallet here, too, is asked as whom to go on', async () => {
    const opened = await open();
    const { page, visit, enter, heading, press, chooseInMenu, email } = opened;
    await visit('');
    await enter();
    await chooseInMenu('Sign out');
    await byMailAndBack(opened);
    await heading('Overview');
    await page.evaluate(`localStorage.setItem('svc.console.signed-in-by', 'com.example.wallet')`);
    await page.reload();
    await heading('Welcome back');
    await press(`Go on as ${email}`);
    await heading('Overview');
  });

  test.each([
    ['light', 360],
    ['dark', 1280],
  ] as const)('the way in fits and is for everybody: %s, %i pixels wide', async (colorScheme, width) => {
    const opened = await open({ colorScheme, viewport: { width, height: 800 } });
    const { page, visit } = opened;
    await visit('');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    onTestFinished(() => page.close());
  });
});
