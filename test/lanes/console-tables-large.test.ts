import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { violations } from './console-owner.ts';
import { startTablesWorld } from './console-tables-world.ts';

describe.skipIf(chromiumProgram() === undefined)('large tables of the console in Chromium', async () => {
  const { world, run, openTable } = await startTablesWorld();
  const { projectId, key, post } = world;
  const longName = 'ארוך'.padEnd(31, 'ך');

  beforeAll(async () => {
    const columns = Array.from({ length: 199 }, (_column, at) => `"column ${at}" text default '${at}'`).join(', ');
    await run(`create table many (id int primary key, name text);
      insert into many select n, 'Row ' || n from generate_series(1, 300000) n; analyze many;
      create table wide (id int primary key, ${columns}); insert into wide (id) select generate_series(1, 300);
      create table heavy (id int primary key, doc jsonb);
      insert into heavy select n, jsonb_build_object('x', repeat('y', 1000000), 'n', 9007199254740993) from generate_series(1, 20) n;
      create table "${longName}" (id int primary key, "שם" text, "${'ع'.repeat(31)}" text);
      insert into "${longName}" values (1, 'שלום (עולם)', repeat('طويل ', 40));
      create table notes (id bigint generated always as identity primary key, user_id uuid, body text);
      insert into notes (body) values ('First')`);
    const live = { name: 'notes', expose: true, policy: 'user_owns_rows', owner_column: 'user_id', live: true };
    await post(`/projects/v1/admin/${projectId}/expose`, { version: 1, tables: [live] }, key);
  });

  test('300,000 rows are neither counted nor loaded at once: the next ones come as they are scrolled to', async () => {
    const asked: string[] = [];
    const { page, grid } = await openTable('many');
    page.on('request', (request) => {
      if (request.url().includes('/rest/many')) asked.push(`${request.headers().prefer ?? ''} ${request.url()}`);
    });
    await page.reload();
    await grid.getByText('Row 1', { exact: true }).waitFor();
    await page.getByText(/^About (29|30)\d,\d{3} rows$/).waitFor();
    expect(Number(await grid.getAttribute('aria-rowcount'))).toBeGreaterThan(250_000);
    await grid.focus();
    // The end is where the loaded rows end, and more are loaded as it comes in sight. A press may find one more hundred or
    // several: what counts is that every hundred was asked for once, in order, and no more than came in sight.
    const inSight = async () =>
      Math.max(0, ...(await grid.getByText(/^Row \d+$/).allTextContents()).map((text) => Number(text.slice(4))));
    await expect
      .poll(
        async () => {
          await page.keyboard.press('Control+End');
          return inSight();
        },
        { interval: 500 },
      )
      .toBeGreaterThanOrEqual(300);
    expect(asked.length).toBeLessThanOrEqual((await inSight()) / 100 + 2);
    expect(new Set(asked).size).toBe(asked.length);
    expect(await grid.getByRole('gridcell').count()).toBeLessThan(500);
    expect(asked.filter((one) => one.includes('exact') || one.includes('offset='))).toEqual([]);
    expect(asked.every((one) => one.includes('limit=100'))).toBe(true);
  });

  test('200 columns are reached by keys, sorted, hidden, and what was chosen is in the address', async () => {
    const { page, grid } = await openTable('wide');
    const hasFocus = () => grid.evaluate((one) => one.matches(':focus'));
    expect(await grid.getAttribute('aria-colcount')).toBe('201');
    await grid.focus();
    await page.keyboard.press('End');
    await page.getByRole('button', { name: 'Menu of column 198' }).waitFor({ state: 'attached' });
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('menuitem', { name: 'Sort descending' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('order')).toBe('column 198.desc');
    await expect
      .poll(() => grid.getByRole('columnheader', { name: 'column 198' }).getAttribute('aria-sort'))
      .toBe('descending');
    // The menu gives the focus back.
    await expect.poll(hasFocus).toBe(true);
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('menuitem', { name: 'Hide column' }).click();
    await expect.poll(() => grid.getAttribute('aria-colcount')).toBe('200');
    await page.reload();
    await expect.poll(() => grid.getAttribute('aria-colcount')).toBe('200');
    expect(await grid.getByRole('gridcell').count()).toBeLessThan(1_000);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Show all columns' }).click();
    await expect.poll(() => grid.getAttribute('aria-colcount')).toBe('201');
  });

  test('a document of a megabyte is loaded whole only when it is opened, and saved whole', async () => {
    const { page, grid } = await openTable('heavy');
    const cell = grid.getByRole('gridcell', { name: /^\{/ }).first();
    expect((await cell.textContent())!.length).toBeLessThan(100);
    await cell.click();
    await page.keyboard.press('Enter');
    const editor = page.getByRole('dialog', { name: 'doc of row 1' });
    const text = editor.getByRole('textbox', { name: 'doc of row 1' });
    await expect.poll(() => text.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('"new": 1, ');
    await page.keyboard.press('ControlOrMeta+Enter');
    await editor.waitFor({ state: 'detached' });
    await expect
      .poll(() => run(`select length(doc->>'x') as length, doc->>'new' as new, doc->>'n' as n from heavy where id = 1`))
      .toEqual([{ length: 1_000_000, new: '1', n: '9007199254740993' }]);
  });

  test('names of other scripts and of many letters keep their direction, and nothing is pushed aside', async () => {
    const { page, grid } = await openTable(longName, { viewport: { width: 900, height: 700 } });
    await grid.getByText('שלום (עולם)').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
  });

  test('a row that another caller adds to a live table shows up with a mark', async () => {
    const { page, grid } = await openTable('notes');
    await grid.getByText('First').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await run("insert into notes (body) values ('Second')");
    await grid.getByText('Second').waitFor();
    await grid.getByRole('gridcell', { name: 'Row 2, new' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('filters apply at once, are in the address, and are taken away again', async () => {
    const { page, grid, press } = await openTable('notes');
    await press('Filter');
    const form = page.getByRole('dialog', { name: 'Add a filter' });
    await form.getByRole('button', { name: /Column$/ }).click();
    await page.getByRole('option', { name: 'body' }).click();
    await form.getByRole('button', { name: /Condition$/ }).click();
    await page.getByRole('option', { name: 'contains' }).click();
    await form.getByLabel('Value').fill('irs');
    await page.keyboard.press('Enter');
    const filter = page.getByRole('button', { name: 'Remove filter: body contains irs' });
    await filter.waitFor();
    await expect.poll(() => grid.getByRole('row').count()).toBe(2);
    await page.reload();
    await expect.poll(() => grid.getByRole('row').count()).toBe(2);
    await filter.click();
    await expect.poll(() => grid.getByRole('row').count()).toBeGreaterThan(2);
  });
});
