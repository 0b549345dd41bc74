import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { reaches, roles } from '../../kernel/access/permissions.ts';
import { permissions } from '../../resolvers/index.ts';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import type { ConsolePage } from '../helpers/console-page.ts';
import { startConsoleWorld, violations } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('escalations of the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, orgId, post, asOwner } = world;

  const raise = async ({ page, press, fill }: ConsolePage, reason: string) => {
    await press('Raise');
    await fill('Reason', reason);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Raise', exact: true }).click();
  };
  const addContact = async ({ page, press, fill }: ConsolePage, email: string) => {
    await press(/^Add contact$/);
    await fill('Mail address', email);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Add contact' }).click();
    await page.getByRole('button', { name: `Remove ${email}` }).waitFor();
  };
  const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

  test('an escalation that notified no one is a warning, which leads to adding a contact', async () => {
    const { wallet, orgId: other } = await service.owner();
    const opened = await asOwner();
    const { page, visit, press, fill, address } = opened;
    await post(`/orgs/v1/${other}/members`, { wallet: await address(), role: 'owner' }, wallet);
    await visit(`/orgs/${other}/escalations`);
    await page.getByText('No open escalations').waitFor();
    await raise(opened, 'The import does not end.');
    const said = page.getByRole('status').filter({ hasText: 'The escalation is raised' });
    await said.getByText('no one was notified').waitFor();
    expect(await said.locator('.notice.warn').count()).toBe(1);
    expect(await said.locator('.notice.good').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'The import does not end.' }).click();
    await page.locator('.notice.warn').getByText('No contact has been notified yet.').waitFor();
    await page.goBack();
    await visit(`/orgs/${other}/escalations`);
    await raise(opened, 'It still does not end.');
    await press('Add a contact');
    await fill('Mail address', 'ada@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove ada@example.com' }).waitFor();
    await tab(page, 'Open').click();
    await raise(opened, 'It goes on.');
    await said.getByText('Notified: ada@example.com.').waitFor();
    expect(await said.locator('.notice.good').count()).toBe(1);
  });

  test('an escalation shows up as it is raised, is answered, and its timeline has each step', async () => {
    const opened = await asOwner();
    const { page, visit, press, fill } = opened;
    await visit(`/orgs/${orgId}/escalations?tab=contacts`);
    await addContact(opened, 'ada@example.com');
    await tab(page, 'Open').click();
    await post(`/orgs/v1/${orgId}/escalations`, { reason: 'The import does not end.', severity: 'high' });
    await page.getByRole('link', { name: 'The import does not end.' }).click();
    await page.getByRole('heading', { level: 1, name: 'The import does not end.' }).waitFor();
    const steps = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    await steps.filter({ hasText: 'ada@example.com' }).waitFor({ timeout: 30_000 });
    await press('Acknowledge');
    await steps.filter({ hasText: 'Acknowledged' }).waitFor();
    await press('Resolve');
    await fill('Resolution', 'It was killed.');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Resolve' }).click();
    await steps.filter({ hasText: 'It was killed.' }).waitFor();
    expect((await steps.allTextContents())[0]).toMatch(/^Raised by/);
    expect((await steps.allTextContents()).at(-1)).toMatch(/^Resolved.*It was killed\.$/);
    expect(await page.getByRole('button', { name: /Resolve|Acknowledge/ }).count()).toBe(0);
    await visit(`/orgs/${orgId}/escalations`);
    await page.getByText('No open escalations').waitFor();
    await tab(page, 'Resolved').click();
    await page.getByRole('link', { name: 'The import does not end.' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'The import does not end.' }).waitFor();
  });

  test('a reason that was typed is there again after Escape, the way back and a reload, until it is raised or cancelled', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit(`/orgs/${orgId}/escalations`);
    const dialog = page.getByRole('alertdialog');
    const reason = page.getByLabel('Reason');
    const again = async () => {
      await dialog.waitFor({ state: 'detached' });
      await press('Raise');
      await dialog.getByText('Draft kept').waitFor();
    };
    await press('Raise');
    await fill('Reason', 'A long story');
    await page.keyboard.press('Escape');
    await again();
    expect(await reason.inputValue()).toBe('A long story');
    expect(await violations(page)).toEqual([]);
    await page.goBack();
    await again();
    await page.reload();
    await dialog.getByText('Draft kept').waitFor();
    expect(await reason.inputValue()).toBe('A long story');
    await dialog.getByRole('button', { name: 'Raise', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await press('Raise');
    expect(await reason.inputValue()).toBe('');
    await fill('Reason', 'Not so');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await press('Raise');
    expect(await reason.inputValue()).toBe('');
    expect(await dialog.getByText('Draft kept').count()).toBe(0);
  });

  test('a refused resolution keeps its text, and ten presses resolve once', async () => {
    const { page, visit, press, fill } = await asOwner();
    const { escalation_id: id } = await post(`/orgs/v1/${orgId}/escalations`, { reason: 'Once' });
    await visit(`/orgs/${orgId}/escalations/${id}`);
    await press('Resolve');
    await fill('Resolution', 'x'.repeat(5_000));
    const resolve = page.getByRole('alertdialog').getByRole('button', { name: 'Resolve' });
    await resolve.click();
    await page.getByRole('alertdialog').getByText('VALIDATION_FAILED').waitFor();
    expect((await page.getByLabel('Resolution').inputValue()).length).toBe(5_000);
    await fill('Resolution', 'Done');
    await page.evaluate(`(() => {
      const resolve = document.querySelector('[role=alertdialog] button[type=submit]');
      for (let press = 0; press < 10; press += 1) resolve.click();
    })()`);
    await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: 'Done' }).waitFor();
    const changes = await service.control.sql(
      `select action from audit_events where org_id = $1 and action = 'escalation.resolved' and object_id = $2`,
      [orgId, id],
    );
    expect(changes).toHaveLength(1);
  });

  test('a resolution that is being written outlives a refused poll, a message that is too long and a closed socket', async () => {
    const { orgId: other, wallet } = await service.owner();
    const { page, visit, press, fill, address } = await asOwner();
    await post(`/orgs/v1/${other}/members`, { wallet: await address(), role: 'owner' }, wallet);
    const { escalation_id: id } = await post(`/orgs/v1/${other}/escalations`, { reason: 'Long' }, wallet);
    let refuses = false;
    const sockets: { readonly close: (how: { code: number }) => Promise<void> }[] = [];
    await page.routeWebSocket(/graphql/, (near) => {
      sockets.push(near);
      const far = near.connectToServer();
      near.onMessage((frame) => {
        const { id: of, payload } = JSON.parse(String(frame));
        const error = { message: 'The database is away.', extensions: { code: 'SERVICE_UNAVAILABLE' } };
        if (refuses && payload?.operationName === 'Escalation')
          near.send(JSON.stringify({ id: of, type: 'error', payload: [error] }));
        else far.send(frame);
      });
    });
    await visit(`/orgs/${other}/escalations/${id}`);
    await press('Resolve');
    await fill('Resolution', 'Half a sentence');
    refuses = true;
    await page
      .getByRole('alert', { includeHidden: true })
      .getByText('The database is away.')
      .waitFor({ state: 'attached' });
    expect(await page.getByLabel('Resolution').inputValue()).toBe('Half a sentence');
    refuses = false;
    const long = 'é'.repeat(600_000);
    await fill('Resolution', long);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('alertdialog').getByText('BODY_TOO_LARGE').waitFor();
    expect(await page.getByLabel('Resolution').inputValue()).toBe(long);
    await fill('Resolution', 'Short');
    const before = sockets.length;
    await sockets.at(-1)!.close({ code: 1009 });
    await expect.poll(() => sockets.length).toBeGreaterThan(before);
    expect(await page.getByLabel('Resolution').inputValue()).toBe('Short');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: 'Short' }).waitFor();
  });

  test('a tab that the address names and that there is not gives way to the first one', async () => {
    const { page, visit } = await asOwner();
    await visit(`/orgs/${orgId}/escalations?tab=nothing`);
    await page.getByRole('tabpanel', { name: 'Open' }).waitFor();
    expect(await tab(page, 'Open').getAttribute('aria-selected')).toBe('true');
  });

  test('a contact is removed after a question, which Escape leaves', async () => {
    const { orgId: other, wallet } = await service.owner();
    const { page, visit, press, address } = await asOwner();
    await post(`/orgs/v1/${other}/members`, { wallet: await address(), role: 'owner' }, wallet);
    await post(`/orgs/v1/${other}/escalation-contacts`, { email: 'grace@example.com' }, wallet);
    await visit(`/orgs/${other}/escalations?tab=contacts`);
    const remove = page.getByRole('button', { name: 'Remove grace@example.com' });
    await remove.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await remove.press('Enter');
    await press('Remove contact');
    await page.getByText('No contacts yet').waitFor();
  });

  test.each(roles)('a member of the role %s is offered what the gateway lets them do', async (role) => {
    const lets = (action: string) => reaches(role, permissions[action]!.role);
    const { page, visit } = await asOwner({}, role);
    await visit(`/orgs/${orgId}/escalations?tab=contacts`);
    await expect
      .poll(() => page.getByRole('button', { name: 'Add contact' }).count())
      .toBe(lets('escalation:contacts:write') ? 1 : 0);
    await tab(page, 'Open').click();
    await page.getByRole('button', { name: 'Raise' }).waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test.each(looks)(
    'escalations can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const reason = `Look at it at ${look[1]} pixels.`;
      const { escalation_id: id } = await post(`/orgs/v1/${orgId}/escalations`, { reason, details: { count: 3 } });
      await expectUsable(asOwner, look, [
        { path: `/orgs/${orgId}/escalations`, sign: reason },
        { path: `/orgs/${orgId}/escalations?tab=contacts`, sign: 'The lowest level is notified first' },
        { path: `/orgs/${orgId}/escalations?dialog=raise`, sign: 'An unanswered escalation' },
        { path: `/orgs/${orgId}/escalations/${id}`, sign: 'Timeline' },
        { path: `/orgs/${orgId}/escalations/${id}?dialog=resolve`, sign: 'Everyone who reads' },
      ]);
    },
    120_000,
  );
});
