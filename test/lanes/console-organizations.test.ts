import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { pressTenTimes } from './console-choose.ts';
import { startConsoleWorld, unreadable, violations } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('the overview and the organizations of the console', async () => {
  const world = await startConsoleWorld();
  const { service, orgId, projectId, key, post, asOwner } = world;

  test('a newcomer has one start, which leads to an organization and its first project', async () => {
    const { page, visit, enter, press, fill } = await world.open();
    await visit('');
    await enter();
    await page.getByRole('heading', { name: 'Welcome. Create your first organization' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').allTextContents()).toEqual(['Create an organization']);
    expect(await violations(page)).toEqual([]);
    await press('Create an organization');
    // The address holds the dialog: a reload opens it again, and Escape leaves it.
    await page.waitForURL('**/console?new=organization');
    await page.getByRole('alertdialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await press('Create an organization');
    await fill('Name', 'Analytical Engines');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor();
    await page.getByText('No project yet').waitFor();
    await press('New project');
    await fill('Name', 'Notes');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/projects/*');
    await visit('');
    await page
      .getByRole('group', { name: 'Projects of Analytical Engines' })
      .getByRole('link', { name: 'Notes' })
      .click();
    await page.waitForURL('**/console/projects/*');
  });

  test('the overview says what needs attention and leads there', async () => {
    const raised = await post(`/orgs/v1/${orgId}/escalations`, { reason: 'The import stopped.' });
    const occurrence = { function: 'import', kind: 'uncaught', sample_id: 'req_1', name: 'Error', message: 'no' };
    const at = new Date(Date.now() - 60_000).toISOString();
    await post(`/projects/v1/${projectId}/errors/occurrences`, { occurrences: [{ ...occurrence, at }] }, key);
    const limits = { projects: 1 };
    const set = await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, {
      body: { limits },
    });
    expect(set.status).toBeLessThan(300);
    const { page, visit } = await asOwner();
    await visit('');
    const list = page.getByRole('list', { name: 'Needs attention' });
    await list.getByText('open escalation “The import stopped.”').waitFor();
    await list.getByText('1 of 1 projects used').waitFor();
    await list.getByText('no owner or admin has a verified mail address').waitFor();
    // What is bad stands before what is a warning, in words as well.
    expect(await list.getByRole('img').last().getAttribute('aria-label')).toBe('Warning');
    expect(await violations(page)).toEqual([]);
    await list.getByRole('link', { name: '1 new error in the last 24 hours' }).click();
    await page.waitForURL(`**/console/projects/${projectId}/errors`);
    await page.goBack();
    await list.getByRole('link', { name: /open escalation/ }).click();
    await page.waitForURL(`**/escalations/${raised.escalation_id}`);
  });

  test('organizations are searched, and a search that finds nothing says so', async () => {
    const { page, visit, enter } = await world.open();
    await visit('/orgs');
    await enter();
    await page.getByText('No organization yet').waitFor();
    for (const name of ['First Engines', 'Second Engines']) {
      await visit('/orgs?new=organization');
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Create organization' }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await visit('/orgs');
    const rows = page.getByRole('group', { name: 'Organizations', exact: true }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('searchbox', { name: 'Search organizations' }).fill('second');
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('searchbox').fill('third');
    await page.getByText('No match').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('link', { name: 'First Engines' }).click();
    await page.getByRole('heading', { level: 1, name: 'First Engines' }).waitFor();
  });

  test('a project that a grant shares is listed without its organization, with what the grant allows', async () => {
    const { page, visit, enter, address } = await world.open();
    await visit('');
    await enter();
    const shared = await service.project();
    const grant = { wallet: await address(), capability: 'read' };
    await post(`/projects/v1/${shared.projectId}/grants`, grant, shared.wallet);
    await visit('/orgs');
    const listed = page.getByRole('group', { name: 'Shared projects' }).getByRole('row').nth(1);
    await listed.getByText('See the project').waitFor();
    await listed.getByRole('link').click();
    await page.waitForURL(`**/console/projects/${shared.projectId}`);
  });

  test('ten presses create one organization, and a refused name stays in its field', async () => {
    const { page, visit, enter, fill } = await world.open();
    await visit('/orgs?new=organization');
    await enter();
    const create = page.getByRole('button', { name: 'Create organization' });
    await create.waitFor();
    const long = 'x'.repeat(300);
    await fill('Name', long);
    await create.click();
    await page
      .getByRole('alert')
      .getByText(/^Name: /)
      .waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(long);
    await fill('Name', 'Once');
    await pressTenTimes(create);
    await page.getByRole('heading', { level: 1, name: 'Once' }).waitFor();
    await visit('/orgs');
    await expect
      .poll(() => page.getByRole('group', { name: 'Organizations', exact: true }).getByRole('row').count())
      .toBe(2);
  });

  test('a name for others is changed, and notices are given an address', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit('');
    await page.getByRole('link', { name: /verified mail address for notices/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await press('Change name');
    await fill('Name for others', 'Ada');
    await press('Save');
    await page.getByText('Your name is saved.').waitFor();
    await page.getByRole('region', { name: 'Profile' }).getByText('Ada', { exact: true }).waitFor();
    await press('Add an address');
    await fill('Contact’s name', 'Ada');
    await fill('Mail address', 'ada@example.com');
    await press('Save');
    const notices = page.getByRole('region', { name: 'Notices', exact: true });
    await notices.getByText('ada@example.com').waitFor();
    await notices.getByRole('button', { name: 'Send the link again' }).waitFor();
  });

  test('names of 200 characters and of right-to-left scripts keep both pages in order', async () => {
    const names = ['A name that is long '.repeat(10).slice(0, 100), 'مهندسو التحليل', 'x'.repeat(100)];
    for (const width of [360, 1280]) {
      const { page, visit, address } = await asOwner({ viewport: { width, height: 900 } });
      for (const name of names) {
        // Each member may own a few free ones.
        await service.control.sql(`update orgs set tier = 'team'`);
        const made = await post('/orgs/v1', { display_name: name });
        await post(`/orgs/v1/${made.org_id}/members`, { wallet: await address(), role: 'owner' });
        await post('/projects/v1', { org_id: made.org_id, name: `${name} ${'y'.repeat(99)}` });
      }
      for (const [path, sign] of [
        ['', 'Projects of مهندسو التحليل'],
        ['/orgs', 'Organizations'],
      ] as const) {
        await visit(path);
        await page.getByRole('group', { name: sign, exact: true }).waitFor();
        await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
        expect(await violations(page)).toEqual([]);
        expect(await unreadable(page)).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      }
    }
  });

  test.each(looks)(
    'both pages can be used by everybody: %s, %i pixels wide',
    async (...look) =>
      expectUsable(asOwner, look, [
        { path: '', sign: 'New errors, 24 h' },
        { path: '/orgs', sign: 'Your role' },
        { path: '/orgs?new=organization', sign: 'Your team or company' },
        { path: '/you?dialog=notices', sign: 'Where notices go' },
      ]),
    120_000,
  );
});
