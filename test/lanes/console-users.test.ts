import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startConsoleWorld, violations } from './console-owner.ts';

const world = await startConsoleWorld();
const { service, projectId, post } = world;

const users = `/projects/${projectId}/users`;
const add = (email: string, more: object = {}) =>
  post('/auth/v1/admin/users', { project_id: projectId, email, ...more });
const waitMs = 30_000;
/** The console of a member. */
async function opened(role?: string) {
  const own = await world.asOwner({}, role);
  own.page.setDefaultTimeout(waitMs);
  return own;
}
const sentTo = async (recipient: string) =>
  service.control.sql('select from mail_outbox where recipient = $1', [recipient]);
const row = (of: Page, email: string) => of.getByRole('row').filter({ hasText: email });

test('users are listed, searched and filtered by the address of the page', async () => {
  const own = await opened();
  const { page } = own;
  await add('ada@example.com', { is_admin: true });
  await add('maryam@example.com');
  await own.visit(users);
  await row(page, 'ada@example.com').waitFor();
  await page.getByRole('searchbox', { name: 'Search by address or id' }).fill('MARY');
  await row(page, 'ada@example.com').waitFor({ state: 'detached' });
  await row(page, 'maryam@example.com').waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('MARY');
  await page.reload();
  await row(page, 'maryam@example.com').waitFor();
  expect(await row(page, 'ada@example.com').count()).toBe(0);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row(page, 'ada@example.com').waitFor();
  await own.visit(`${users}?role=admin`);
  await row(page, 'ada@example.com').waitFor();
  expect(await row(page, 'maryam@example.com').count()).toBe(0);
  await own.visit(`${users}?q=nobody`);
  await page.getByText('No user matches').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('a user opens by its address, is made an admin, and ten presses end its sessions once', async () => {
  const own = await opened();
  const { page } = own;
  const { id } = await add('grace@example.com', { password: 'correct horse', email_confirm: true });
  const anon = (await post(`/auth/v1/test-sessions`, { label: 'tester' }, world.key)) as unknown as {
    user: { id: string };
  };
  await own.visit(`${users}?user=${anon.user.id}`);
  const dialog = page.getByRole('dialog');
  const out = dialog.getByRole('button', { name: 'Sign out everywhere' });
  await out.waitFor();
  await out.evaluate((button: HTMLElement) => {
    for (let time = 0; time < 10; time += 1) button.click();
  });
  await dialog.getByText('Not signed in.').waitFor();
  const ended = await service.control.sql(
    `select from audit_events where action = 'project.user_sessions_ended' and details ->> 'user_id' = $1`,
    [anon.user.id],
  );
  expect(ended).toHaveLength(1);
  await own.visit(`${users}?user=${id}`);
  await dialog.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Make an admin' }).click();
  await dialog.getByText('Admin of the project').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('an invitation says what is missing, and keeps what was typed, but no password', async () => {
  const own = await opened();
  const { page, press, fill } = own;
  await own.visit(users);
  await page.getByRole('button', { name: 'Add user' }).first().click();
  const dialog = page.getByRole('alertdialog', { name: 'Add user' });
  const address = dialog.getByRole('textbox', { name: 'Address' });
  await address.fill('late@example.com');
  await press('Send invitation');
  const target = dialog.getByRole('combobox', { name: 'Link leads to' });
  await expect.poll(() => target.getAttribute('aria-invalid')).toBe('true');
  await dialog.locator('.fault').filter({ hasText: /\S/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByText('Invite by mail').click();
  await fill('Password', 'correct horse battery');
  await page.reload();
  await dialog.getByText('Draft kept').waitFor();
  expect(await address.inputValue()).toBe('late@example.com');
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('correct horse');
  await dialog.getByText('Invite by mail').click();
  await target.fill('http://localhost:3000/welcome');
  await page.keyboard.press('Tab');
  await press('Send invitation');
  await expect.poll(() => sentTo('late@example.com')).toHaveLength(1);
  await dialog.waitFor({ state: 'detached' });
});

test('metadata that was typed outlives a reload until it is saved', async () => {
  const own = await opened();
  const { page } = own;
  const { id } = await add('kept@example.com', { data: { plan: 'free' } });
  await own.visit(`${users}?user=${id}`);
  const dialog = page.getByRole('dialog');
  const editor = dialog.getByRole('textbox', { name: 'Metadata' });
  await editor.waitFor();
  await editor.click();
  await page.keyboard.press('Control+A');
  // Typed over a text, a bracket would be put around it.
  await page.keyboard.press('Delete');
  // The editor closes what is opened: the comma is what is wrong.
  await page.keyboard.type('{"plan": "paid",');
  await dialog.getByRole('alert').filter({ hasText: 'no JSON' }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Save metadata' }).isDisabled()).toBe(true);
  await page.reload();
  await dialog.getByText('"paid"').waitFor();
  await dialog.getByRole('textbox', { name: 'Metadata' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type('{"plan": "paid"}');
  await dialog.getByRole('button', { name: 'Save metadata' }).click();
  await dialog.getByRole('button', { name: 'Save metadata' }).waitFor({ state: 'detached' });
  const { body } = await service.call<{ user_metadata: object }>(
    world.wallet,
    'GET',
    `/projects/v1/admin/${projectId}/users/${id}`,
  );
  expect(body.user_metadata).toEqual({ plan: 'paid' });
});

test('metadata that others changed meanwhile is not put back, and one member of two values is asked about', async () => {
  const own = await opened();
  const { page } = own;
  const { id } = await add('shared@example.com', { data: { plan: 'free', seen: 1 } });
  const path = `/projects/v1/admin/${projectId}/users/${id}`;
  await own.visit(`${users}?user=${id}`);
  const dialog = page.getByRole('dialog');
  const editor = dialog.getByRole('textbox', { name: 'Metadata' });
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type('{"plan": "paid", "seen": 1}');
  await dialog.getByRole('button', { name: 'Save metadata' }).waitFor();
  await service.call(world.wallet, 'PATCH', path, { body: { data: { plan: 'trial', seen: 2, new: true } } });
  await page.reload();
  await dialog.getByText('Changed meanwhile: plan').waitFor();
  await dialog.getByText('Others changed new, seen meanwhile.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Save metadata' }).isDisabled()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep my values' }).click();
  await dialog.getByRole('button', { name: 'Save metadata' }).click();
  await dialog.getByRole('button', { name: 'Save metadata' }).waitFor({ state: 'detached' });
  const { body } = await service.call<{ user_metadata: object }>(world.wallet, 'GET', path);
  expect(body.user_metadata).toEqual({ plan: 'paid', seen: 2, new: true });
});

test('a person is invited by mail once, and a refused target keeps what was typed', async () => {
  const own = await opened();
  const { page } = own;
  await own.visit(`${users}?dialog=add`);
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('textbox', { name: 'Address' }).fill('invited@example.com');
  const target = dialog.getByRole('combobox', { name: 'Link leads to' });
  await target.fill('https://stranger.example/');
  // Whatever was suggested is closed.
  await page.keyboard.press('Tab');
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'Link leads to' }).waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('invited@example.com');
  await target.fill('http://localhost:3000/in');
  await dialog.getByRole('button', { name: 'Send invitation' }).evaluate((button: HTMLElement) => {
    for (let time = 0; time < 10; time += 1) button.click();
  });
  await dialog.waitFor({ state: 'detached' });
  await row(page, 'invited@example.com').waitFor();
  await expect.poll(() => sentTo('invited@example.com')).toHaveLength(1);
});

test('a user is deleted after a question, and its panel says that it is gone', async () => {
  const own = await opened();
  const { page } = own;
  const { id } = await add('gone@example.com');
  await own.visit(`${users}?user=${id}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete this user?' });
  await question.getByRole('button', { name: 'Delete user' }).click();
  await question.waitFor({ state: 'detached' });
  await expect.poll(() => new URL(page.url()).searchParams.get('user')).toBeNull();
  await own.visit(`${users}?user=${id}`);
  await page.getByRole('dialog').getByText('This user is gone').waitFor();
});

test('users come from CSV as they were shown before, and each row has its outcome', async () => {
  const own = await opened();
  const { page } = own;
  await own.visit(`${users}?dialog=import`);
  const dialog = page.getByRole('dialog');
  const text = dialog.getByRole('textbox', { name: 'Users as JSON or CSV' });
  await text.fill('name\nAda');
  await dialog.getByText('The first line has to name the columns').waitFor();
  await text.fill(`id,email\n${crypto.randomUUID()},first@example.com\n17,second@example.com`);
  await dialog.getByRole('table', { name: 'Users as they were read' }).or(dialog.getByRole('table')).first().waitFor();
  await dialog.getByRole('button', { name: 'Import 2 users' }).click();
  await dialog.getByText('1 imported, 0 unchanged, 1 skipped.').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await row(page, 'first@example.com').waitFor();
});

test('settings of sign-in take effect at once', async () => {
  const own = await opened();
  const { page } = own;
  await own.visit(`${users}?tab=sign-in`);
  await page.getByText('Users without a password may set one').click();
  await page.getByText('The setting is saved.').first().waitFor();
  expect(await violations(page)).toEqual([]);
});

test('redirect URLs are added, copied and removed, and a refused one says why and stays in its field', async () => {
  const { page, visit, press, fill } = await opened();
  await visit(`${users}?tab=sign-in`);
  const section = page.getByRole('region', { name: 'Redirect URLs' });
  await section.getByText('No redirect URLs yet').waitFor();
  await press('Add URL');
  const dialog = page.getByRole('alertdialog', { name: 'Add a redirect URL' });
  const add = () => dialog.getByRole('button', { name: 'Add URL' }).click();
  for (const [url, reason] of [
    ['https://*.example.com', 'must not hold a wildcard'],
    ['http://app.example.com', 'must be https, or http on localhost'],
    ['https://app.example.com/?next=/', 'must not hold a query'],
  ] as const) {
    await fill('URL', url);
    await add();
    await dialog.getByRole('alert').getByText(`URL: ${reason}`).waitFor();
    expect(await dialog.getByLabel('URL', { exact: true }).inputValue()).toBe(url);
  }
  expect(await violations(page)).toEqual([]);
  await fill('URL', 'HTTPS://App.example.com:443/auth/');
  await add();
  await section.getByText('https://app.example.com/auth', { exact: true }).waitFor();
  await section.getByRole('button', { name: 'Copy https://app.example.com/auth' }).waitFor();
  await press('Remove https://app.example.com/auth');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove URL' }).click();
  await section.getByText('No redirect URLs yet').waitFor();
});

test('a member without the right is told so, also when it is taken while the page is open', async () => {
  const viewer = await opened('viewer');
  await viewer.visit(users);
  await viewer.page.getByText('You cannot see the users').waitFor();
  const developer = await opened('developer');
  await developer.visit(users);
  await row(developer.page, 'ada@example.com').waitFor();
  const address = (await developer.address()).toLowerCase();
  await service.control.sql(
    `update memberships set role = 'viewer' where principal_id =
      (select principal_id from authenticators where public_subject = $1)`,
    [address],
  );
  await developer.page.getByRole('searchbox', { name: 'Search by address or id' }).fill('mary');
  await developer.page
    .getByRole('alert')
    .filter({ hasText: 'NOT_AUTHORIZED' })
    .or(developer.page.getByText('You cannot see the users'))
    .first()
    .waitFor();
});

test('a domain is added to those that another member added meanwhile', async () => {
  const own = await opened();
  const { page } = own;
  await own.visit(`${users}?tab=sign-in`);
  const domain = page.getByRole('textbox', { name: 'Domain', exact: true });
  await domain.waitFor();
  const settings = { allowed_email_domains: ['theirs.example'] };
  expect((await service.call(world.key, 'PATCH', '/auth/v1/settings', { body: settings })).status).toBe(200);
  await domain.fill('mine.example');
  await page.getByRole('button', { name: 'Add domain' }).click();
  const list = page.getByRole('list', { name: 'Domains' });
  await list.getByText('mine.example').waitFor();
  await list.getByText('theirs.example').waitFor();
  await page.getByRole('button', { name: 'Remove mine.example' }).click();
  await list.getByText('mine.example').waitFor({ state: 'detached' });
  await list.getByText('theirs.example').waitFor();
});
