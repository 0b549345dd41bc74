import { expect, test } from 'vitest';
import { startConsoleWorld, violations } from './console-owner.ts';

const world = await startConsoleWorld();
const { service, projectId } = world;

const access = `/projects/${projectId}/access`;
const waitMs = 30_000;
await world.run(`create table notes (id int primary key, user_id uuid, body text);
  insert into notes values (1, null, 'first'), (2, null, 'second');
  create table posts (id int primary key, body text)`);
/** The console of a member. */
async function opened(role?: string) {
  const own = await world.asOwner({}, role);
  own.page.setDefaultTimeout(waitMs);
  return own;
}
const exposed = async () =>
  (
    await service.call<{ manifest: { tables: { name: string; policy?: string }[] } }>(
      world.wallet,
      'GET',
      `/projects/v1/admin/${projectId}/expose`,
    )
  ).body.manifest.tables;
const expose = (tables: object[]) =>
  world.post(`/projects/v1/admin/${projectId}/expose`, { version: 1, tables }, world.key);
test('a dark table is exposed by a plain choice, after its effects were shown', async () => {
  const own = await opened();
  const { page } = own;
  const dialog = page.getByRole('dialog');
  await own.visit(access);
  await page.getByRole('button', { name: 'Expose notes' }).click();
  await dialog.getByText('Users own their rows', { exact: true }).click();
  await dialog.getByText('user_id (uuid)').first().waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Review and apply' }).click();
  await dialog.getByRole('list', { name: 'Effects' }).getByText('Users own their rows (user_id)').waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Apply' }).evaluate((button: HTMLElement) => {
    for (let time = 0; time < 10; time += 1) button.click();
  });
  await page.getByRole('button', { name: 'Change notes' }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await exposed()).toMatchObject([{ name: 'notes', policy: 'user_owns_rows', owner_column: 'user_id' }]);
  const applied = await service.control.sql(`select from audit_events where action = 'project.expose_applied'`);
  expect(applied).toHaveLength(1);
});

test('what is wrong is told with its place, and form and text are one draft that outlives a reload', async () => {
  const own = await opened();
  const { page } = own;
  const dialog = page.getByRole('dialog');
  await own.visit(access);
  await page.getByRole('button', { name: 'Expose posts' }).click();
  await dialog.getByText('Everybody does everything', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('list', { name: 'Findings' }).getByText('manifest.tables[1].i_understand').first().waitFor();
  expect(await page.getByRole('button', { name: 'Review and apply' }).isDisabled()).toBe(true);
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.getByText('public_read_write_UNRESTRICTED').first().waitFor();
  await page.reload();
  await page.getByText('public_read_write_UNRESTRICTED').first().waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('public_read_write_UNRESTRICTED').first().waitFor({ state: 'detached' });
});

test('a manifest that another person applied meanwhile is not replaced, and the draft stays', async () => {
  const own = await opened();
  const { page } = own;
  const dialog = page.getByRole('dialog');
  await own.visit(access);
  await page.getByRole('button', { name: 'Expose posts' }).click();
  await dialog.getByText('Everybody reads and adds', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Review and apply' }).click();
  await expose([{ name: 'notes', expose: false }]);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'EXPOSE_CHANGED' }).waitFor();
  expect(await exposed()).toEqual([{ name: 'notes', expose: false }]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Another manifest was applied while you edited this one.').waitFor();
  expect(await page.getByRole('button', { name: 'Review and apply' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Keep my draft' }).click();
  await page.getByRole('button', { name: 'Review and apply' }).click();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(exposed).toHaveLength(2);
});

test('the matrix says who may do what, and a cell says why', async () => {
  const own = await opened();
  const { page } = own;
  const dialog = page.getByRole('dialog');
  await expose([
    { name: 'notes', expose: true, policy: 'user_owns_rows', owner_column: 'user_id' },
    { name: 'posts', expose: true, policy: 'public_read_append_only' },
  ]);
  await own.visit(`${access}?tab=who`);
  const notes = page.getByRole('row').filter({ hasText: 'notes' });
  await notes.getByRole('button', { name: /own rows.*User/ }).click();
  await dialog.getByText('A policy lets the rows through whose user_id is the caller.').first().waitFor();
  await dialog.getByText('policy svc_owner on notes').first().waitFor();
  await page.keyboard.press('Escape');
  const posts = page.getByRole('row').filter({ hasText: 'posts' });
  await posts.getByRole('button', { name: /read all.*change none.*Anonymous/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Find a table or function' }).fill('post');
  await notes.waitFor({ state: 'detached' });
  await world.run('create table "Capitals" (id int primary key)');
  await page.reload();
  await page.getByRole('searchbox', { name: 'Find a table or function' }).fill('capit');
  await page.getByRole('row').filter({ hasText: 'Capitals' }).waitFor();
  expect(await violations(page)).toEqual([]);
});

test('SQL is tried as another caller, and nothing is kept', async () => {
  const own = await opened();
  const { page } = own;
  const { id } = await world.post('/auth/v1/admin/users', { project_id: projectId, email: 'ada@example.com' });
  await world.run(`update notes set user_id = '${id}' where id = 2`);
  await own.visit(`${access}?tab=try`);
  const sql = page.getByRole('textbox', { name: 'SQL to try' });
  await sql.click();
  await page.keyboard.type('delete from notes returning body');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByText('The caller sees no row.').or(page.getByText('permission denied')).first().waitFor();
  await own.visit(`${access}?tab=try&as=user`);
  await page.getByRole('combobox', { name: 'User' }).fill('ada@example.com');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByRole('cell', { name: 'second' }).waitFor();
  expect(await page.getByRole('cell', { name: 'first' }).count()).toBe(0);
  const left = await service.call<{ row_count: number }>(world.key, 'POST', `/projects/v1/admin/${projectId}/sql`, {
    body: { sql: 'select from notes' },
  });
  expect(left.body.row_count).toBe(2);
  expect(await violations(page)).toEqual([]);
});

test('the field of the user keeps the focus while its options arrive', async () => {
  const own = await opened();
  const { page } = own;
  for (const email of ['typed.one@example.com', 'typed.two@example.com', 'other@example.com'])
    await world.post('/auth/v1/admin/users', { project_id: projectId, email });
  await own.visit(`${access}?tab=try&as=user`);
  const field = page.getByRole('combobox', { name: 'User' });
  await field.click();
  for (const letter of 'typed.two') {
    const answered = page.waitForTimeout(150);
    await page.keyboard.type(letter);
    await answered;
  }
  expect(await field.inputValue()).toBe('typed.two');
  await page.getByRole('option', { name: 'typed.two@example.com' }).click();
  await expect.poll(() => field.inputValue()).toBe('typed.two@example.com');
});

test('a member without the right is told so', async () => {
  const viewer = await opened('viewer');
  await viewer.visit(access);
  await viewer.page.getByText('You cannot see the access rules').waitFor();
});
