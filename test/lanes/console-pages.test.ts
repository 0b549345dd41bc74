import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { reaches, roles } from '../../kernel/access/permissions.ts';
import { permissions } from '../../resolvers/index.ts';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { shop } from '../audit/fixture-sites.ts';
import { terminal } from '../cli/command.ts';
import { failure } from '../errors/reporting.ts';
import { startSites } from '../helpers/site-server.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

const adminKey = 'a-key-for-the-outbox-0123456789abcdef';

describe.skipIf(chromiumProgram() === undefined)('pages of the console in Chromium', async () => {
  const sites = await startSites({ 'shop.audit-sites.net': shop });
  const world = await startConsoleWorld({ auditTrial: sites.trial, env: { SVC_ADMIN_KEY: adminKey } });
  const { service, wallet, orgId, projectId, key, post, run, asOwner } = world;
  afterAll(sites.close);
  beforeAll(world.tables);

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
    await page.getByRole('region', { name: 'Result' }).getByText('hidden').waitFor();
    await page.getByRole('region', { name: 'Rows of tasks' }).getByText('hidden').waitFor();
    await page.getByLabel('Seen with').selectOption('anon');
    await page.getByText('No rows').waitFor();

    await page.getByLabel('Statements').fill('select nothing');
    await press('Run');
    await page.getByRole('alert').getByText('42703').waitFor();
  });

  test('an escalation that notified no one is a warning, which leads to adding a contact', async () => {
    const { wallet, orgId: other } = await service.owner();
    const { page, visit, press, fill, address } = await asOwner();
    const body = { wallet: await address(), role: 'owner' };
    await service.call(wallet, 'POST', `/orgs/v1/${other}/members`, { body });
    await visit(`/orgs/${other}/escalations`);
    await fill('Reason', 'The import does not end.');
    await press('Raise');
    const said = page.getByRole('status').filter({ hasText: 'The escalation is raised' });
    await said.getByText('no one was notified').waitFor();
    expect(await said.locator('.note.warn').count()).toBe(1);
    expect(await said.locator('.note.good').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await press('Add a contact');
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove ada@example.com' }).waitFor();
    await fill('Reason', 'It still does not end.');
    await press('Raise');
    await said.getByText('Notified: ada@example.com.').waitFor();
    expect(await said.locator('.note.good').count()).toBe(1);
  });

  test('redirect URLs of a project are added, copied and removed, and a refused one says why', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit(`/projects/${projectId}`);
    const card = page.getByRole('region', { name: 'Redirect URLs' });
    await card.getByText('No redirect URLs yet.').waitFor();
    await fill('URL', 'HTTPS://App.example.com:443/auth/');
    await press('Add');
    await card.getByRole('code').getByText('https://app.example.com/auth', { exact: true }).waitFor();
    expect(await card.getByLabel('URL', { exact: true }).inputValue()).toBe('');
    await card.getByRole('button', { name: 'Copy https://app.example.com/auth' }).waitFor();
    for (const [url, reason] of [
      ['https://*.example.com', 'must not hold a wildcard'],
      ['http://app.example.com', 'must be https, or http on localhost'],
      ['https://app.example.com/?next=/', 'must not hold a query'],
    ] as const) {
      await fill('URL', url);
      await press('Add');
      await card.getByRole('alert').getByText(`URL: ${reason}`).waitFor();
      expect(await card.getByLabel('URL', { exact: true }).inputValue()).toBe(url);
    }
    expect(await violations(page)).toEqual([]);
    await card.getByRole('button', { name: 'Remove https://app.example.com/auth' }).click();
    await card.getByRole('button', { name: 'Remove https://app.example.com/auth' }).click();
    await card.getByText('No redirect URLs yet.').waitFor();
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
    await page.getByRole('region', { name: 'Notifications, one a row' }).getByText('ada@example.com').waitFor();
    await press('Acknowledge');
    await page.getByText('Acknowledged', { exact: true }).waitFor();
    await fill('Resolution', 'It was killed.');
    await press('Resolve');
    await page.getByText('It was killed.').waitFor();
    expect(await page.getByRole('button', { name: 'Resolve' }).count()).toBe(0);
  });

  test('failures show up as they become known, with their verdict, and are drawn over time', async () => {
    const path = `/projects/v1/${projectId}/errors`;
    const { page, visit, press } = await asOwner();
    await visit(`/projects/${projectId}/errors`);
    await page.getByText('No traffic yet').waitFor();
    await post(`${path}/invocations`, { invocations: [{ function: 'checkout', count: 40 }] }, key);
    const first = failure({ sample_id: 'req_1', release_id: 'rel_a' });
    await post(`${path}/occurrences`, { occurrences: [first] }, key);
    // It is new in a release, so word of it comes by itself, and sooner than anything is asked for anyway.
    await page.getByText('1 failure is new.').waitFor();
    await page
      .getByRole('list', { name: 'Failures' })
      .getByText(/^TypeError: /)
      .waitFor();
    // The chart as those read it who cannot see it: what was just reported is of this hour, or of the one that was over
    // meanwhile.
    const counted = async (name: string) => {
      const cells = page.getByRole('table', { name }).getByRole('cell');
      const values = (await cells.allTextContents()).map(Number);
      const sum = (some: readonly number[]) => some.reduce((so, one) => so + one, 0);
      return { parts: values.length, all: sum(values), lately: sum(values.slice(-2)) };
    };
    expect(await counted('Failures by the hour')).toEqual({ parts: 25, all: 1, lately: 1 });
    await page.getByLabel('When').selectOption('720');
    await press('Show');
    await page.getByRole('table', { name: 'Failures by the day, in UTC' }).waitFor();
    expect(await counted('Failures by the day, in UTC')).toEqual({ parts: 31, all: 1, lately: 1 });

    await post(`${path}/occurrences`, { occurrences: [failure({ sample_id: 'req_2', release_id: 'rel_b' })] }, key);
    await page.getByRole('link', { name: /^TypeError: / }).click();
    await page.getByRole('heading', { level: 1, name: 'TypeError' }).waitFor();
    await expect.poll(async () => (await counted('Failures by the hour')).lately).toBe(2);
    await page.getByLabel('Over which time').selectOption('168');
    await expect.poll(async () => (await counted('Failures by the day, in UTC')).lately).toBe(2);
    const texts = (list: string, what: string) =>
      page.getByRole('list', { name: list }).locator(what).allTextContents();
    expect(await texts('Stable frames, innermost first', 'code')).toEqual(['chargeCard', 'handler']);
    const samples = page.getByRole('region', { name: 'Samples, newest first' });
    expect(await samples.getByRole('row').locator('td:first-child').allTextContents()).toEqual([
      'req_2 ',
      'req_1 first',
    ]);
    const facts = page.getByRole('region', { name: 'Details' });
    expect(await facts.getByRole('definition').first().textContent()).toBe('2');
    await facts.getByText('under rel_b').waitFor();
    expect(await texts('Next steps', 'li code')).toEqual([
      'svc logs checkout --request-id req_2',
      'svc logs checkout --request-id req_1',
    ]);
    await visit(`/projects/${projectId}/errors/fp_of_nothing`);
    await page.getByRole('alert').getByText('RESOURCE_NOT_FOUND').waitFor();
  });

  test('the overview counts all that one answers for, and says what to look at', async () => {
    const { page, visit, address } = await asOwner();
    await visit('');
    const answered = page.getByRole('region', { name: 'Usage' });
    await answered.getByText(/^1 project, \d+ members$/).waitFor();
    expect(await answered.getByRole('definition').allTextContents()).toEqual(['1', '1', '1', '1']);
    await answered.getByRole('list', { name: 'To look at' }).getByText('operator unreachable').waitFor();
    const wallets = answered.getByRole('list', { name: 'Wallets' }).getByRole('listitem');
    expect(await wallets.allTextContents()).toEqual([(await address()).toLowerCase()]);
    await answered.getByRole('list', { name: 'Your organizations' }).getByRole('link').click();
    await page.waitForURL(`**/console/orgs/${orgId}`);
  });

  test('a person is led to the gateway’s own pages, and to commands that there are', async () => {
    const { page, visit, enter } = await world.open();
    await visit('');
    await enter();
    await page.getByRole('link', { name: 'Sign-in and approvals' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign-in and approvals' }).waitFor();
    const links = await page.getByRole('list', { name: 'In this browser' }).getByRole('link').all();
    expect(links).toHaveLength(4);
    for (const link of links) {
      const path = await link.getAttribute('href');
      // Who is not signed in there yet is asked to be, and comes back.
      const answer = await page.request.get(service.url + path);
      expect(await answer.text()).toContain('<h1>Sign in</h1>');
      const { pathname, searchParams } = new URL(answer.url());
      expect(searchParams.get('return_to') ?? pathname).toBe(path);
    }
    const { svc, remove } = await terminal();
    onTestFinished(remove);
    const commands = await page.getByRole('list', { name: 'At a terminal' }).locator('code').allTextContents();
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) {
      const [, group, name, ...rest] = command.split(' ');
      const { stdout } = await svc(group!, name!, '--help');
      expect(stdout).toContain(`svc ${group} ${name}: `);
      // Flags, and which actions there are to approve.
      for (const word of rest.filter((one) => /^--|\./.test(one))) expect(stdout).toContain(word);
    }
  });

  test('a mail address is invited and the invitation taken back, and the trail tells of both', async () => {
    const { page, visit, press, fill } = await asOwner();
    for (let time = 0; time < 10; time += 1) await post(`/orgs/v1/${orgId}/invites`, { email: 'earlier@example.com' });
    await visit(`/orgs/${orgId}`);
    const invitations = page.getByRole('list', { name: 'Invitations' }).getByRole('listitem');
    await invitations.filter({ hasText: 'earlier@example.com' }).waitFor();
    await fill('Mail address to invite', 'Grace@Example.com');
    await page.getByLabel('As', { exact: true }).selectOption('VIEWER');
    await press('Invite');
    const invited = invitations.filter({ hasText: 'grace@example.com' });
    await invited.getByText('viewer').waitFor();
    const mails = () => service.control.sql(`select id from mail_outbox where recipient = 'grace@example.com'`);
    await expect.poll(mails).toHaveLength(1);
    const trail = page.getByRole('list', { name: 'Changes, newest first' });
    const newest = () => trail.getByRole('listitem').first().textContent();
    await expect.poll(newest).toMatch(/^invite\.created.*grace@example\.com/s);
    await press('Take back the invitation of grace@example.com');
    await press('Really take back the invitation of grace@example.com');
    await invited.waitFor({ state: 'detached' });
    expect(await invitations.count()).toBe(1);
    await expect.poll(newest).toMatch(/^invite\.revoked.*grace@example\.com/s);

    type Events = { readonly events: readonly { readonly action: string }[] };
    const { body } = await service.call<Events>(wallet, 'GET', `/orgs/v1/${orgId}/audit?limit=20`);
    const actions = body.events.map(({ action }) => action);
    const shown = () => trail.locator('strong').allTextContents();
    expect(await shown()).toEqual(actions.slice(0, 10));
    const pagesOf = page.getByRole('navigation', { name: 'Pages of the audit trail' });
    await pagesOf.getByRole('button', { name: 'Next' }).click();
    await expect.poll(shown).toEqual(actions.slice(10));
    await pagesOf.getByRole('button', { name: 'Back' }).click();
    await expect.poll(shown).toEqual(actions.slice(0, 10));

    const { page: seen, visit: go } = await asOwner({}, 'viewer');
    await go(`/orgs/${orgId}`);
    await seen.getByRole('list', { name: 'Invitations' }).getByText('earlier@example.com').waitFor();
    expect(await seen.getByRole('button', { name: /^Invite$|^Take back/ }).count()).toBe(0);
    expect(await seen.getByRole('heading', { name: 'Audit trail' }).count()).toBe(0);
  });

  test.each(roles)(
    'a member of the role %s is offered what the gateway lets them do, and nothing else',
    async (role) => {
      const { page, visit } = await asOwner({}, role);
      const lets = (action: string) => reaches(role, permissions[action]!.role);
      const offers = async (kind: 'button' | 'heading' | 'link', name: string) =>
        (await page.getByRole(kind, { name, exact: true }).count()) > 0;
      await visit(`/orgs/${orgId}`);
      await page.getByRole('heading', { name: 'Members' }).waitFor();
      await page.getByText('Loading…').first().waitFor({ state: 'detached' });
      expect({
        create: await offers('button', 'Create project'),
        tier: await offers('button', 'Set tier'),
        rename: await offers('button', 'Rename'),
        add: await offers('button', 'Add member'),
        invite: await offers('button', 'Invite'),
        trail: await offers('heading', 'Audit trail'),
      }).toEqual({
        create: lets('project:create'),
        tier: lets('org:tier:set'),
        rename: lets('org:rename'),
        add: lets('org:members:write'),
        invite: lets('org:invites:write'),
        trail: lets('org:audit:read'),
      });
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);

      await visit(`/projects/${projectId}`);
      await page.getByRole('main').getByRole('link', { name: 'Errors' }).waitFor();
      expect({
        rows: await offers('link', 'Rows'),
        keys: await offers('button', 'Get the keys'),
        rename: await offers('button', 'Rename'),
        remove: await page.getByText('Delete the project').first().isVisible(),
      }).toEqual({
        rows: lets('project:schema:read'),
        keys: lets('project:keys:read'),
        rename: lets('project:rename'),
        remove: lets('project:delete'),
      });

      await visit(`/orgs/${orgId}/escalations`);
      await page.getByText('Raise an escalation').first().waitFor();
      await expect.poll(() => offers('button', 'Add contact')).toBe(lets('escalation:contacts:write'));
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    },
  );

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
    const score = await page.getByRole('img', { name: /^Overall: / }).getAttribute('aria-label');
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
    const refused = page.getByRole('alert');
    await refused.getByText('This is not the admin key of this gateway.').waitFor();
    expect(await refused.textContent()).not.toMatch(/wallet|SIGN-IN/i);
    expect(await page.getByRole('heading', { name: 'Mails' }).count()).toBe(0);
    await fill('Admin key', adminKey);
    await press('Open the outbox');
    await fill('Send a test mail to', 'tried@example.com');
    await press('Send');
    await page.getByRole('status').getByText('It is queued').waitFor();
    await page.getByRole('list', { name: 'Mails' }).getByText('tried@example.com').waitFor();
    // It is kept nowhere.
    await page.reload();
    await page.getByRole('heading', { name: 'For the platform admin' }).waitFor();
  });
});
