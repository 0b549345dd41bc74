import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { violations } from './console-owner.ts';
import { startTablesWorld } from './console-tables-world.ts';

describe.skipIf(chromiumProgram() === undefined)('tables of the console in Chromium', async () => {
  const { world, run, openTable } = await startTablesWorld();
  const { projectId } = world;

  beforeAll(async () => {
    await run(`create type mood as enum ('glad', 'calm', 'blue');
      create table things (id bigint generated always as identity primary key, name text not null unique,
        price numeric(30, 2), count bigint, mood mood not null default 'calm', done boolean, due date, at timestamptz,
        tags text[], extra jsonb, loud boolean generated always as (price > 9) stored);
      create table "Odd, names" ("a ""key""" text, "b.c" int, note text, primary key ("b.c", "a ""key"""));
      create table loose (note text)`);
  });

  test('a row is filled in by the types of its columns, changed, and deleted, and no number is rounded', async () => {
    const { page, press, cells, openRow } = await openTable('things', { viewport: { width: 3200, height: 900 } });
    await press('New row');
    const form = page.getByRole('alertdialog', { name: 'New row in things' });
    await form.getByText('The database writes id, loud by itself.').waitFor();
    expect(await violations(page)).toEqual([]);
    const field = (name: string) => form.getByLabel(new RegExp(`^${name} `));
    await field('name').fill('Anvil\nof two lines');
    await field('price').fill('12345678901234567890.25');
    await field('count').fill('9007199254740993');
    await field('done').selectOption('true');
    await field('due').fill('2026-01-31');
    await field('at').fill('2026-01-31 12:00+02');
    await field('tags').fill('{heavy,"made of iron"}');
    await field('extra').fill('{"serial": 9007199254740993}');
    await press('Insert');
    await form.waitFor({ state: 'detached' });
    // The table is read once more after the form has closed.
    await expect
      .poll(cells)
      .toEqual([
        'Anvil\nof two lines',
        '12345678901234567890.25',
        '9007199254740993',
        'calm',
        'true',
        '2026-01-31',
        expect.stringContaining('2026-01-31 10:00:00'),
        '{heavy,"made of iron"}',
        '{"serial": 9007199254740993}',
        'true',
      ]);
    expect(await violations(page)).toEqual([]);

    await openRow(1);
    const change = page.getByRole('alertdialog', { name: /^Row of things: id \d+$/ });
    await change.getByLabel(/^mood /).selectOption('blue');
    await change.getByLabel('What price gets').selectOption('NULL');
    // Another caller changes another column meanwhile: the form leaves that alone.
    await run("update things set name = 'Hammer'");
    await press('Save');
    await change.waitFor({ state: 'detached' });
    const [row] = await run('select name, price, count::text, mood, extra::text from things');
    expect(row).toEqual({
      name: 'Hammer',
      price: null,
      count: '9007199254740993',
      mood: 'blue',
      extra: '{"serial": 9007199254740993}',
    });

    await openRow(1);
    await press('Delete');
    await press('Delete row');
    await page.getByText('No rows').waitFor();
    expect(await run('select 1 from things')).toEqual([]);
  });

  test('a refusal of the database is shown in its words, and the typed values stay', async () => {
    await run("delete from things; insert into things (name) values ('Taken')");
    const { page, press, openRow } = await openTable('things', { refusals: true });
    await press('New row');
    const form = page.getByRole('alertdialog');
    const name = form.getByLabel(/^name /);
    await name.fill('Taken');
    await press('Insert');
    const alert = form.getByRole('alert');
    await alert.getByText('23505').waitFor();
    await alert.getByText('Key (name)=(Taken) already exists.').waitFor();
    expect(await name.inputValue()).toBe('Taken');
    await form.getByLabel(/^price /).fill('many');
    await press('Insert');
    await alert.getByText('22P02').waitFor();
    await form.getByLabel('What price gets').selectOption('NULL');
    await form.getByLabel(/^extra /).fill('{half');
    await press('Insert');
    await alert.getByText('extra is no JSON.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New row');

    // Deleted by another caller while it is open.
    await openRow(1);
    await form.getByLabel(/^name /).fill('Gone');
    await run('delete from things');
    await press('Save');
    await form.getByRole('alert').getByText('ROW_GONE').waitFor();
  });

  test('keys of several columns with names of any kind find their row, and a table without a key is left to SQL', async () => {
    await run(`insert into "Odd, names" values ('x,"y".z', 1, 'one'), ('x,"y".z', 2, 'two')`);
    const { page, press, openRow, visit, grid } = await openTable('Odd, names');
    await openRow(2);
    const form = page.getByRole('alertdialog', { name: 'Row of Odd, names: b.c 2, a "key" x,"y".z' });
    await form.getByLabel(/^note /).fill('changed');
    await press('Save');
    await grid.getByText('changed').waitFor();
    expect(await run('select note from "Odd, names" order by "b.c"')).toEqual([{ note: 'one' }, { note: 'changed' }]);

    await run("insert into loose values ('a')");
    await visit(`/projects/${projectId}/tables?table=loose`);
    await page.getByText('The table has no primary key').waitFor();
    await page.getByRole('grid').getByText('a', { exact: true }).dblclick();
    expect(await page.locator('.grid-input').count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Open row/ }).count()).toBe(0);
  });

  test('Escape takes back the question whether to delete, and leaves the row’s form', async () => {
    await run("insert into things (name) values ('Kept')");
    const { page, press, openRow } = await openTable('things');
    await openRow(1);
    await press('Delete');
    const question = page.getByRole('alertdialog', { name: 'Delete this row?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    const form = page.getByRole('alertdialog');
    await expect.poll(() => form.count()).toBe(1);
    // The focus comes back to it a frame later.
    await expect.poll(() => form.evaluate((one) => one.matches(':focus-within'))).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await run('select name from things')).toEqual([{ name: 'Kept' }]);
  });

  test('a visitor’s view is not written through, a dark table can be exposed, and a caller without the key is told', async () => {
    await run('create table dark (id int primary key, user_id uuid)');
    const { page, press } = await openTable('dark', { refusals: true });
    await page.getByRole('button', { name: 'New row' }).waitFor();
    await page.getByRole('button', { name: 'Service key View as' }).click();
    await page.getByRole('option', { name: 'Anon key' }).click();
    await page.getByText('This table is not exposed').waitFor();
    expect(await page.getByRole('button', { name: 'New row' }).count()).toBe(0);
    await press('Expose this table');
    const dialog = page.getByRole('alertdialog', { name: 'Exposure of dark' });
    await dialog.getByText('"owner_column": "user_id"').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Expose this table' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('None that this key may see.').waitFor();

    const { page: seen, visit } = await world.asOwner({}, 'developer');
    await visit(`/projects/${projectId}/tables`);
    await seen.getByText('Rows by SQL alone').waitFor();
    expect(await seen.getByRole('alert').count()).toBe(0);
  });

  test('the exposure of a table replaces no manifest that others applied meanwhile', async () => {
    await run('create table slow (id int primary key); create table theirs (id int primary key)');
    const { page } = await openTable('slow', {}, '&dialog=expose');
    const dialog = page.getByRole('alertdialog', { name: 'Exposure of slow' });
    await dialog.getByRole('button', { name: /Policy$/ }).click();
    await page.getByRole('option', { name: 'All may read and insert' }).click();
    const posted = { name: 'theirs', expose: true, policy: 'public_read_append_only' };
    const path = `/projects/v1/admin/${projectId}/expose`;
    await world.post(path, { version: 1, tables: [posted, { name: 'slow', expose: false }] }, world.key);
    const send = dialog.getByRole('button', { name: 'Expose this table' });
    await send.click();
    await dialog.getByText('Another manifest was applied meanwhile').waitFor();
    await dialog.getByText('"expose": false').waitFor();
    expect(await send.isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Go on with my choice' }).click();
    await send.click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await world.service.call<{ manifest: { tables: object[] } }>(world.key, 'GET', path);
    expect(body.manifest.tables).toMatchObject([posted, { name: 'slow', expose: true }]);
  });

  test('what was typed into a row is there again after Escape, the way back and a reload, until it is inserted', async () => {
    await run(`create table drafted (id bigint generated always as identity primary key, name text, note text);
      insert into drafted (name, note) values ('First', 'Old')`);
    const { page, press, openRow, grid } = await openTable('drafted');
    const form = page.getByRole('alertdialog');
    const name = form.getByLabel(/^name /);
    await press('New row');
    await form.waitFor();
    expect(await form.getByText('Draft kept').count()).toBe(0);
    await name.fill('Half a row');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await press('New row');
    await form.getByText('Draft kept').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await name.inputValue()).toBe('Half a row');
    await form.getByLabel(/^note /).fill('More');
    await page.goBack();
    await form.waitFor({ state: 'detached' });
    await press('New row');
    await form.getByText('Draft kept').waitFor();
    await page.reload();
    await form.waitFor();
    expect(await form.getByLabel(/^note /).inputValue()).toBe('More');
    await press('Insert');
    await form.waitFor({ state: 'detached' });
    await grid.getByText('Half a row').waitFor();
    await press('New row');
    await form.waitFor();
    expect(await name.inputValue()).toBe('');
    await name.fill('Not wanted');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
    await press('New row');
    await form.waitFor();
    expect(await form.getByText('Draft kept').count()).toBe(0);
    expect(await name.inputValue()).toBe('');
    await page.keyboard.press('Escape');

    // A kept change names the value that it replaces, also when that has changed meanwhile.
    await openRow(1);
    await form.getByLabel(/^note /).fill('Mine');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await run(`update drafted set note = 'Theirs' where id = 1`);
    await openRow(1);
    await form.getByText('Draft kept').waitFor();
    await press('Save');
    await form.getByText('This row was changed meanwhile.').waitFor();
    await form.getByText('Theirs').waitFor();
    await press('Save my values');
    await form.waitFor({ state: 'detached' });
    expect(await run('select note from drafted where id = 1')).toEqual([{ note: 'Mine' }]);
    await openRow(1);
    expect(await form.getByText('Draft kept').count()).toBe(0);
  });

  test('dialogs of tables take what is typed at once, refuse names that PostgreSQL would cut, and keep a new table', async () => {
    const { page, press } = await openTable('things');
    const dialog = page.getByRole('alertdialog');
    const focused = () => page.evaluate<string>('document.activeElement.tagName + " " + document.activeElement.value');
    await press('New row');
    await dialog.waitFor();
    await page.keyboard.type('Anvil');
    expect(await dialog.getByLabel(/^name /).inputValue()).toBe('Anvil');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });

    await press('Filter');
    await page.getByRole('dialog', { name: 'Add a filter' }).waitFor();
    // The list of columns takes the beginning of a name.
    await page.keyboard.type('pri');
    await page.getByRole('button', { name: 'price Column' }).waitFor();
    await page.keyboard.press('Escape');

    await press('More');
    await page.getByRole('menuitem', { name: 'Add column' }).click();
    await dialog.waitFor();
    await page.keyboard.type('c'.repeat(63));
    expect(await focused()).toBe(`INPUT ${'c'.repeat(63)}`);
    const add = dialog.getByRole('button', { name: 'Add column' });
    expect(await add.isDisabled()).toBe(false);
    await page.keyboard.type('d');
    await dialog.getByText('A name has at most 63 bytes. This one has 64.').waitFor();
    expect(await add.isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });

    await press('More');
    await page.getByRole('menuitem', { name: /^Rename/ }).click();
    await dialog.waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('é'.repeat(32));
    await dialog.getByText('This one has 64.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Rename table' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });

    await press('New table');
    await dialog.waitFor();
    await page.keyboard.type('é'.repeat(32));
    await dialog.getByText('This one has 64.').waitFor();
    await page.keyboard.press('Backspace');
    await dialog.getByRole('button', { name: 'Add column' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('body');
    await page.reload();
    await dialog.getByText('Draft kept').waitFor();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('body');
    await dialog.getByRole('button', { name: 'Create table' }).click();
    await page.getByRole('heading', { name: 'é'.repeat(31) }).waitFor();
  });

  test('an empty table shows its columns, and a filter that the database refuses leaves no rows that it did not find', async () => {
    await run(`create table bare (id bigint primary key, "עמודה" text)`);
    const { page, press, grid } = await openTable('bare', { refusals: true });
    await page.getByText('No rows').waitFor();
    await grid.getByRole('columnheader', { name: /^id/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await run(`insert into bare values (1, repeat('מילה ', 60)), (2, 'short')`);
    await press('Refresh');
    const long = grid.getByText('מילה מילה');
    await long.waitFor();
    // Where a cell ends, and so where its dots are, is told by its own direction.
    expect(await long.evaluate((cell) => getComputedStyle(cell as never).direction)).toBe('rtl');
    await press('Filter');
    await page.getByLabel('Value').fill('abc');
    await page.keyboard.press('Enter');
    await page.getByText('invalid input syntax').waitFor();
    await page.getByRole('button', { name: 'Remove filter: id is abc' }).waitFor();
    expect(await grid.count()).toBe(0);
    await press('Remove filter: id is abc');
    await grid.getByText('short').waitFor();
    await page.getByText('invalid input syntax').waitFor({ state: 'detached' });
  });

  test.each([
    ['dark', 360],
    ['light', 3840],
  ] as const)('the page and the form of a row fit: %s, %i pixels wide', async (colorScheme, width) => {
    const { page, press } = await openTable('things', { colorScheme, viewport: { width, height: 700 } });
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(await overflow()).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await press('New row');
    await page.getByRole('alertdialog').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await overflow()).toBeLessThanOrEqual(0);
  });
});
