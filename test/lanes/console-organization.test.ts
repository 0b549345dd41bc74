import { describe, expect, onTestFinished, test } from 'vitest';
import { reaches, roles } from '../../kernel/access/permissions.ts';
import { permissions } from '../../resolvers/index.ts';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { choose, pressTenTimes, selectOf } from './console-choose.ts';
import { startConsoleWorld, unreadable, violations } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('an organization of the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, wallet, orgId, projectId, post, asOwner } = world;

  /** Adds a member with a wallet, and says what the console calls it. */
  async function addMember(role = 'viewer', org = orgId, owner = wallet) {
    const { address, checksumAddress } = service.actors.wallet();
    const { principal_id } = await post(`/orgs/v1/${org}/members`, { wallet: checksumAddress, role }, owner);
    return { principalId: principal_id!, name: `${address.slice(0, 6)}…${address.slice(-4)}`, address };
  }

  test('members and projects beyond the first page are a page further', async () => {
    const project = await service.project();
    const { page, visit, address } = await asOwner();
    await post(`/orgs/v1/${project.orgId}/members`, { wallet: await address(), role: 'owner' }, project.wallet);
    for (let count = 0; count < 50; count += 1) await addMember('viewer', project.orgId, project.wallet);
    // Rows without databases: the list is what is looked at.
    await service.control.sql(
      `insert into projects select (jsonb_populate_record(p, jsonb_build_object('id', p.id || n, 'public_id', p.public_id || n,
         'repo_name', null, 'name', 'Copy ' || n, 'created_at', now() + n * interval '1 second'))).*
       from projects p, generate_series(1, 50) n where p.id = $1`,
      [project.projectId],
    );
    onTestFinished(
      async () =>
        void (await service.control.sql(`delete from projects where org_id = $1 and id <> $2`, [
          project.orgId,
          project.projectId,
        ])),
    );
    for (const [list, all] of [
      ['Projects', 51],
      ['Members', 52],
    ] as const) {
      await visit(`/orgs/${project.orgId}?tab=${list.toLowerCase()}`);
      const rows = page.getByRole('group', { name: list, exact: true }).locator('tbody tr');
      const pages = page.getByRole('navigation', { name: `Pages of ${list.toLowerCase()}` });
      const names = () => rows.locator('.named').allTextContents();
      await expect.poll(() => rows.count()).toBe(50);
      const first = await names();
      await pages.getByRole('button', { name: 'Next' }).click();
      await expect.poll(() => rows.count()).toBe(all - 50);
      for (const row of await names()) expect(first).not.toContain(row);
      await pages.getByRole('button', { name: 'Previous' }).click();
      await expect.poll(names).toEqual(first);
    }
  });

  test('who makes a project and may not see its keys is led to it', async () => {
    const { page, visit, press, fill } = await asOwner({}, 'developer');
    await visit(`/orgs/${orgId}`);
    await press('New project');
    await fill('Name', 'Made by hand');
    await press('Create project');
    await page.waitForURL('**/console/projects/*');
    await page.getByText('Made by hand is created.').waitFor();
    expect(await page.locator('.refusal').count()).toBe(0);
  });

  test('a mail address is invited and the invitation revoked, and the trail tells of both', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit(`/orgs/${orgId}?tab=members`);
    await press('Add member');
    await fill('Mail address or wallet', 'Grace@Example.com');
    await choose(page, 'Role', 'Viewer');
    await press('Send invitation');
    const invited = page.getByRole('region', { name: 'Invitations' }).getByRole('row').filter({ hasText: 'grace@' });
    await invited.getByText('Viewer').waitFor();
    const mails = () => service.control.sql(`select id from mail_outbox where recipient = 'grace@example.com'`);
    await expect.poll(mails).toHaveLength(1);
    await press('Revoke the invitation of grace@example.com');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke invitation' }).click();
    await invited.waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Audit' }).click();
    const rows = page.getByRole('group', { name: 'Audit trail', exact: true }).locator('tbody tr');
    await expect.poll(() => rows.first().textContent()).toMatch(/^Invite revoked/);
    await choose(page, 'Action', 'Invitations');
    await expect
      .poll(async () => (await rows.locator('.audit-action').allTextContents()).slice(0, 2))
      .toEqual(['Invite revoked', 'Invite created']);
    await rows.first().getByRole('button').click();
    const entry = page.getByRole('region', { name: 'Invite revoked' });
    await entry.getByText('grace@example.com').first().waitFor();
    // The address holds the filter and the entry.
    await page.reload();
    await entry.getByText('grace@example.com').first().waitFor();
    await entry.getByRole('button', { name: 'Close the entry' }).click();
    await entry.waitFor({ state: 'detached' });
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No entry matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await rows.filter({ hasText: 'Organization created' }).waitFor();
  });

  test('a role is given after a question, so that going through the list by key gives none on the way', async () => {
    const { page, visit, press } = await asOwner();
    const { name, principalId } = await addMember();
    await visit(`/orgs/${orgId}?tab=members`);
    const role = selectOf(page, `Role of ${name}`);
    await role.focus();
    await page.keyboard.press('Enter');
    const list = page.getByRole('listbox');
    await expect.poll(() => list.evaluate((one) => one.matches(':focus-within'))).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: `Change the role of ${name}?` });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await role.textContent()).toContain('Viewer');
    await choose(page, `Role of ${name}`, 'Developer');
    await press('Make developer');
    await expect.poll(() => role.textContent()).toContain('Developer');
    const changed = await service.control.sql(
      `select details from audit_events where object_id = $1 and action = 'member.role_changed'`,
      [principalId],
    );
    expect(changed).toHaveLength(1);
  });

  test('a member is removed after a question, by keyboard, and ten presses remove one', async () => {
    const { page, visit } = await asOwner();
    const { name } = await addMember();
    await visit(`/orgs/${orgId}?tab=members`);
    const actions = page.getByRole('button', { name: `Actions on ${name}` });
    await actions.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Remove…' }).press('Enter');
    const question = page.getByRole('alertdialog', { name: `Remove ${name}?` });
    await question.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await pressTenTimes(question.getByRole('button', { name: 'Remove member' }));
    // What is below a dialog is hidden from roles while it is open.
    await question.waitFor({ state: 'detached' });
    await page.getByRole('group', { name: 'Members' }).getByText(name).first().waitFor({ state: 'detached' });
    expect(await page.locator('.refusal').count()).toBe(0);
  });

  test.each(roles)('the console offers a member who is %s what the role allows, and no more', async (role) => {
    const lets = (action: string) => reaches(role, permissions[action]!.role);
    const { page, visit } = await asOwner({}, role);
    const offers = async (kind: 'button' | 'tab', name: string) =>
      (await page.getByRole(kind, { name, exact: true }).count()) > 0;
    await visit(`/orgs/${orgId}`);
    await page.getByRole('group', { name: 'Projects', exact: true }).waitFor();
    const found: Record<string, boolean> = {
      create: await offers('button', 'New project'),
      trail: await offers('tab', 'Audit'),
    };
    await visit(`/orgs/${orgId}?tab=members`);
    await page.getByRole('group', { name: 'Members', exact: true }).waitFor();
    found.add = await offers('button', 'Add member');
    await visit(`/orgs/${orgId}?tab=usage`);
    await page.getByRole('group', { name: 'Tiers' }).waitFor();
    found.tier = await offers('button', 'Change tier');
    await visit(`/orgs/${orgId}?tab=settings`);
    await page.getByRole('heading', { name: 'Escalations' }).waitFor();
    found.rename = await offers('button', 'Rename');
    found.slug = await offers('button', 'Claim a slug');
    await visit(`/projects/${projectId}/sharing`);
    await page.getByText(/Only owners see|Each grant lets/).waitFor();
    found.share = await offers('button', 'Share project');
    expect(found).toEqual({
      create: lets('project:create'),
      tier: lets('org:tier:set'),
      rename: lets('org:rename'),
      slug: lets('org:slug:claim'),
      add: lets('org:members:write'),
      trail: lets('org:audit:read'),
      share: lets('project:grants:write'),
    });
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('the settings rename, name a payout wallet and remove it, and a slug without a balance is refused', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit(`/orgs/${orgId}?tab=settings`);
    await fill('Name', 'Renamed Engines');
    await press('Rename');
    await page.getByRole('heading', { level: 1, name: 'Renamed Engines' }).waitFor();
    const { checksumAddress } = service.actors.wallet();
    await press('Set wallet');
    await fill('Wallet', 'not a wallet');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Set wallet' }).click();
    await page.getByRole('alert').getByText('Wallet: ').waitFor();
    await fill('Wallet', checksumAddress);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Set wallet' }).click();
    const payout = page.getByRole('region', { name: 'Payout wallet' });
    await payout.getByText('Set by an owner.').waitFor();
    await payout.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove wallet' }).click();
    await payout.getByRole('button', { name: 'Set wallet' }).waitFor();
    await press('Claim a slug');
    await page.getByRole('textbox', { name: 'Slug' }).fill('renamed-engines');
    await press('Claim slug');
    await page.getByRole('alertdialog', { name: 'Claim a slug' }).getByRole('alert').waitFor();
    expect(await page.getByRole('textbox', { name: 'Slug' }).inputValue()).toBe('renamed-engines');
  });

  test('who is removed while looking sees the organization no more, and sees it again when added again', async () => {
    const { page, visit, press, address } = await asOwner({}, 'admin');
    await visit(`/orgs/${orgId}?tab=audit`);
    await page.getByRole('group', { name: 'Audit trail', exact: true }).waitFor();
    const mine = await address();
    const { body } = await service.call<{ members: { wallet: string; principal_id: string }[] }>(
      wallet,
      'GET',
      `/orgs/v1/${orgId}/members`,
    );
    const { principal_id } = body.members.find((one) => one.wallet === mine.toLowerCase())!;
    await service.call(wallet, 'DELETE', `/orgs/v1/${orgId}/members/${principal_id}`);
    await page.getByText('You have no access to this organization').waitFor({ timeout: 45_000 });
    expect(await page.getByRole('tab').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await post(`/orgs/v1/${orgId}/members`, { wallet: mine, role: 'viewer' });
    await press('Try again');
    await page.getByRole('tab', { name: 'Projects' }).waitFor();
    await expect.poll(() => page.getByRole('tab', { name: 'Audit' }).count()).toBe(0);
  });

  test('what is typed while the gateway is away for a minute stays, and takes place once', async () => {
    const way = await startBreakableWay(service.url);
    onTestFinished(way.close);
    const { page, visit, fill } = await asOwner({ url: way.url });
    await visit(`/orgs/${orgId}?new=project`);
    await fill('Name', 'Made in a');
    await page.clock.install();
    way.cut();
    await page.getByText('The connection is lost.').waitFor();
    await page.clock.fastForward(60_000);
    await page.getByLabel('Name', { exact: true }).press('End');
    await page.keyboard.type(' storm');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'Working' }).waitFor();
    await page.keyboard.press('Enter');
    way.mend();
    await page.waitForURL('**/console/projects/*', { timeout: 30_000 });
    const made = await service.control.sql(`select id from projects where name = 'Made in a storm'`);
    expect(made).toHaveLength(1);
  });

  test('names of 200 characters and of right-to-left scripts break no tab', async () => {
    const made = await post('/orgs/v1', { display_name: `مهندسو ${'x'.repeat(93)}` });
    await post('/projects/v1', { org_id: made.org_id, name: 'y'.repeat(200) });
    for (const width of [360, 1280]) {
      const { page, visit, address } = await asOwner({ viewport: { width, height: 900 } });
      await post(`/orgs/v1/${made.org_id}/members`, { wallet: await address(), role: 'owner' });
      for (const tab of ['projects', 'members', 'usage', 'audit', 'settings']) {
        await visit(`/orgs/${made.org_id}?tab=${tab}`);
        await page.getByRole('tabpanel').waitFor();
        await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
        expect(await violations(page)).toEqual([]);
        expect(await unreadable(page)).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      }
    }
  });

  test.each(looks)(
    'every tab can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await post(`/orgs/v1/${orgId}/invites`, { email: 'everybody@example.com' });
      const org = `/orgs/${orgId}`;
      await expectUsable(asOwner, look, [
        { path: org, sign: 'Storage' },
        { path: `${org}?tab=members`, sign: 'everybody@example.com' },
        { path: `${org}?tab=members&new=member`, sign: 'A mail address gets an invitation' },
        { path: `${org}?tab=usage`, sign: 'More limits' },
        { path: `${org}?tab=usage&change=tier`, sign: 'This is the current tier' },
        { path: `${org}?tab=audit`, sign: 'Organization created' },
        { path: `${org}?tab=settings`, sign: 'Escalation contacts' },
        { path: `/orgs/${crypto.randomUUID()}`, sign: 'You have no access' },
      ]);
    },
    180_000,
  );
});
