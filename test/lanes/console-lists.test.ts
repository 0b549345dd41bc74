import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { failureNumbered, reporter } from '../errors/reporting.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('lists of the console and the ways to them, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, post } = world;

  /** The console of a member of somebody else’s organization, with what there is. */
  async function inOrganization(role = 'owner') {
    const project = await service.project();
    const opened = await world.open();
    await opened.visit('');
    await opened.enter();
    const body = { wallet: await opened.address(), role };
    await post(`/orgs/v1/${project.orgId}/members`, body, project.wallet);
    return { ...project, ...opened, ...reporter(service, project) };
  }

  test('members and projects beyond the first page are a page further', async () => {
    const { page, visit, orgId, projectId, wallet: owner } = await inOrganization();
    for (let count = 0; count < 50; count += 1) {
      const member = service.actors.wallet().checksumAddress;
      await post(`/orgs/v1/${orgId}/members`, { wallet: member, role: 'viewer' }, owner);
    }
    // Rows without databases: the list is what is looked at.
    await service.control.sql(
      `insert into projects select (jsonb_populate_record(p, jsonb_build_object('id', p.id || n, 'public_id', p.public_id || n,
         'repo_name', null, 'name', 'Copy ' || n, 'created_at', now() + n * interval '1 second'))).*
       from projects p, generate_series(1, 50) n where p.id = $1`,
      [projectId],
    );
    onTestFinished(
      async () =>
        void (await service.control.sql(`delete from projects where org_id = $1 and id <> $2`, [orgId, projectId])),
    );
    await visit(`/orgs/${orgId}`);
    for (const [list, all] of [
      ['Projects', 51],
      ['Members', 52],
    ] as const) {
      const rows = page.getByRole('list', { name: list }).getByRole('listitem');
      const pages = page.getByRole('navigation', { name: `Pages of ${list.toLowerCase()}` });
      // Names alone: what is said of the time goes on with it.
      const names = () => rows.locator('.grows').allTextContents();
      await expect.poll(() => rows.count()).toBe(50);
      const first = await names();
      await pages.getByRole('button', { name: 'Next' }).click();
      await expect.poll(() => rows.count()).toBe(all - 50);
      for (const row of await names()) expect(first).not.toContain(row);
      await pages.getByRole('button', { name: 'Back' }).click();
      await expect.poll(names).toEqual(first);
    }
  });

  test('a list that is filtered otherwise begins at its first page', async () => {
    const { page, visit, press, fill, projectId, report } = await inOrganization();
    await report(...Array.from({ length: 26 }, (_, index) => failureNumbered(index)));
    await visit(`/projects/${projectId}/errors`);
    const rows = page.getByRole('list', { name: 'Failures' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(25);
    await press('Next');
    await expect.poll(() => rows.count()).toBe(1);
    await fill('Function', 'checkout');
    await press('Show');
    await expect.poll(() => rows.count()).toBe(25);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('who makes a project and may not see its keys is told that it is made', async () => {
    const { page, visit, press, fill, orgId } = await inOrganization('developer');
    await visit(`/orgs/${orgId}`);
    await fill('Name of a new project', 'Made by hand');
    await press('Create project');
    await page.getByRole('status').getByText('Made by hand is ready').waitFor();
    await page.getByRole('list', { name: 'Projects' }).getByRole('link', { name: 'Made by hand' }).waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect(await page.getByRole('button', { name: /key$/ }).count()).toBe(0);
  });

  test('a project that was shared is found, without the name of its organization, and offers what a grant opens', async () => {
    const guest = await world.open();
    await guest.visit('');
    await guest.enter();
    const shared = await service.project();
    const grant = { wallet: await guest.address(), capability: 'read' };
    await post(`/projects/v1/${shared.projectId}/grants`, grant, shared.wallet);
    const { page, visit, press } = guest;
    await visit('/orgs');
    const listed = page.getByRole('list', { name: 'Projects' }).getByRole('listitem');
    await listed.getByText('Shared with you').waitFor();
    expect(await listed.count()).toBe(1);
    await listed.getByRole('link').click();
    await page.waitForURL(`**/console/projects/${shared.projectId}`);
    await page.getByText('you are no member of the organization that has it').waitFor();
    const where = page.getByRole('navigation', { name: 'Where you are' });
    expect(await where.getByRole('link').allTextContents()).toEqual(['Shared with you']);
    const menu = page.getByRole('navigation', { name: 'Console' });
    await menu.getByRole('link', { name: 'Errors' }).waitFor();
    expect(await page.getByRole('link', { name: 'Rows' }).count()).toBe(0);
    expect(await menu.getByRole('heading').allTextContents()).toEqual(['This project']);
    expect(await page.getByRole('button', { name: 'Get the keys' }).count()).toBe(0);
    expect(await page.getByText('Delete the project').count()).toBe(0);
    await menu.getByRole('link', { name: 'Errors' }).click();
    await page.getByText('No traffic yet').waitFor();
    await press('Show');
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('a guest is offered what the grant opens, and what it does not, not', async () => {
    const guest = await world.open();
    await guest.visit('');
    await guest.enter();
    const shared = await service.project();
    const give = async (capability: string) =>
      post(`/projects/v1/${shared.projectId}/grants`, { wallet: await guest.address(), capability }, shared.wallet);
    await give('read');
    const { page, visit, press, fill } = guest;
    const offered = () => page.getByRole('main').getByRole('button').allTextContents();
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await visit(`/projects/${shared.projectId}`);
    await page.getByText('you are no member of the organization that has it').waitFor();
    expect(await offered()).toEqual([]);
    await give('project:write');
    await page.reload();
    await fill('Name', 'Renamed by a guest');
    await press('Rename');
    await heading('Renamed by a guest');
    expect(await offered()).toEqual(['Rename']);

    // Any grant lets somebody speak, and ask for a human; answering is for members.
    await visit(`/orgs/${shared.orgId}/rooms/${shared.projectId}`);
    await fill('Message', 'Hello from outside');
    await press('Send');
    await page.locator('[data-message]').getByText('Hello from outside').waitFor();
    await visit(`/orgs/${shared.orgId}/escalations`);
    await fill('Reason', 'A guest asks.');
    await press('Raise');
    await page.getByRole('link', { name: 'A guest asks.' }).click();
    await page.getByRole('heading', { name: 'A guest asks.' }).waitFor();
    await page.getByRole('heading', { name: 'Notifications' }).waitFor();
    expect(await offered()).toEqual([]);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('a stranger to an organization is refused once, and offered nothing', async () => {
    const { page, visit, enter } = await world.open();
    await visit('');
    await enter();
    const { orgId, projectId } = await service.project();
    for (const path of ['/rooms/standup', `/rooms/${projectId}`, '/escalations']) {
      await visit(`/orgs/${orgId}${path}`);
      await page.getByRole('alert').getByText('NOT_AUTHORIZED').first().waitFor();
      // Parts of the page that were refused beside it are gone as soon as the page itself is.
      await expect.poll(() => page.getByRole('alert').count()).toBe(1);
      expect(await page.getByRole('main').getByRole('button').allTextContents()).toEqual([]);
    }
  });

  test('a role is given by a button, so that going through the list by key gives none on the way', async () => {
    const { page, visit, orgId, wallet: owner } = await inOrganization();
    const other = service.actors.wallet().checksumAddress;
    const member = `/orgs/v1/${orgId}/members`;
    const { principal_id } = await post(member, { wallet: other, role: 'viewer' }, owner);
    await visit(`/orgs/${orgId}`);
    const role = page.getByLabel(`Role of ${other.toLowerCase()}`);
    await role.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('button', { name: 'Make developer' }).press('Enter');
    await page.getByRole('button', { name: 'Make developer' }).waitFor({ state: 'detached' });
    expect(await role.inputValue()).toBe('DEVELOPER');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT');
    const actions = await service.control.sql(
      `select details from audit_events where org_id = $1 and action = 'member.role_changed'`,
      [orgId],
    );
    expect(actions).toHaveLength(1);

    // What another owner does is shown as well, and not what was chosen here before.
    const { status } = await service.call(owner, 'PATCH', `${member}/${principal_id}`, { body: { role: 'viewer' } });
    expect(status).toBe(200);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Rename' }).click();
    await expect.poll(() => role.inputValue()).toBe('VIEWER');
    expect(await page.getByRole('button', { name: 'Make developer' }).count()).toBe(0);
  });

  test('what cannot be taken back is asked for twice, in reach of the keyboard', async () => {
    const { page, visit, orgId, wallet: owner } = await inOrganization();
    const other = service.actors.wallet().checksumAddress;
    await post(`/orgs/v1/${orgId}/members`, { wallet: other, role: 'viewer' }, owner);
    await visit(`/orgs/${orgId}`);
    const named = other.toLowerCase();
    const remove = page.getByRole('button', { name: `Remove ${named}`, exact: true });
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await remove.press('Enter');
    await expect.poll(focused).toBe('Keep');
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe(`Remove ${named}`);
    await remove.press('Enter');
    await page.getByRole('button', { name: `Really remove ${named}` }).press('Enter');
    const members = page.getByRole('list', { name: 'Members' });
    await members.getByRole('listitem').filter({ hasText: named }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Throw key away' }).click();
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.reload();
    await members.waitFor();
    await page.getByRole('button', { name: 'Throw key away' }).click();
    await page.getByRole('button', { name: 'Really throw the key away for good' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test.each([1280, 360])('pages of a project are reached from the menu by keyboard, %i pixels wide', async (width) => {
    const { page, visit, orgId, projectId } = await inOrganization();
    await page.setViewportSize({ width, height: 800 });
    await visit(`/projects/${projectId}`);
    await page.getByRole('button', { name: 'Get the keys' }).waitFor();
    const menu = page.getByRole('navigation', { name: 'Console' });
    const open = page.getByRole('button', { name: 'Menu' });
    const reach = async (name: string) => {
      if (await open.isVisible()) await open.press('Enter');
      await menu.getByRole('link', { name: 'Rooms' }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await menu.getByRole('link', { name: 'Details and keys' }).focus();
      const reached = () => page.evaluate<string>('document.activeElement.textContent');
      for (let pressed = 0; (await reached()) !== name && pressed < 10; pressed += 1) await page.keyboard.press('Tab');
      expect(await reached()).toBe(name);
      await page.keyboard.press('Enter');
    };
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await reach('Rows');
    await heading('Rows');
    expect(await menu.isVisible()).toBe(width === 1280);
    await reach('Errors');
    await heading('Errors');
    await reach('Room');
    await page.waitForURL(`**/console/orgs/${orgId}/rooms/**`);
    await page.getByText('No messages yet').waitFor();
  });
});
