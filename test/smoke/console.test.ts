import { expect, test } from 'vitest';
import { startConsoleStage } from '../helpers/console-page.ts';

const { open } = await startConsoleStage();

test('a new user has an organization, a project, a room and a table, and opens every page of the menu', async () => {
  const { page, visit, enter, press, fill } = await open({ viewport: { width: 1600, height: 900 } });
  const menu = page.getByRole('navigation', { name: 'Console' });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

  await visit('');
  await enter();
  await press('Create an organization');
  await fill('Name', 'Analytical Engines');
  await press('Create organization');
  await heading('Analytical Engines');
  await press('New project');
  await fill('Name', 'Notes');
  await press('Create project');
  await heading('Notes');
  const home = page.url();

  // A message that one window sends arrives in another one.
  await menu.getByRole('link', { name: 'Room', exact: true }).click();
  await page.getByText('No messages yet').waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByText('No messages yet').waitFor();
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello from here');
  await page.keyboard.press('Enter');
  await other.locator('[data-message]').getByText('Hello from here').waitFor();
  await other.close();

  // A row is written, edited, and read again from the database.
  await page.goto(`${home}/tables`);
  await press('New table');
  await page.getByRole('textbox', { name: 'Name of the table' }).fill('notes');
  await press('Add column');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('body');
  await press('Create table');
  await page.getByRole('region', { name: 'Table notes' }).waitFor();
  await press('New row');
  const form = page.getByRole('alertdialog');
  await form.getByLabel(/^body /).fill('first');
  await form.getByRole('button', { name: 'Insert', exact: true }).click();
  const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
  await cell('first').click();
  await page.keyboard.press('F2');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('edited');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('grid').locator('.pending').count()).toBe(0);
  await page.reload();
  await cell('edited').waitFor();

  // Errors on the console of any page fail the test: see openConsole.
  const links = new Set<string>();
  for (const [path, entry] of [
    [home, 'Errors'],
    [new URL('/console/installation', home).href, 'Backups'],
  ] as const) {
    await page.goto(path);
    await menu.getByRole('link', { name: entry, exact: true }).waitFor();
    const found = await menu.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href')!));
    for (const link of found) links.add(new URL(link, home).href);
  }
  expect(links.size).toBeGreaterThan(24);
  for (const link of links) {
    await page.goto(link);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  }
});
