import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import type { OpenConsoleOptions } from '../helpers/console-page.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('rows of the console in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, key } = world;

  const run = async (sql: string) => {
    const path = `/projects/v1/admin/${projectId}/sql`;
    const answer = await service.call<{ readonly rows: readonly object[] }>(key, 'POST', path, { body: { sql } });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body.rows;
  };
  beforeAll(async () => {
    await run(`create type mood as enum ('glad', 'calm', 'blue');
      create table things (id bigint generated always as identity primary key, name text not null unique,
        price numeric(30, 2), count bigint, mood mood not null default 'calm', done boolean, due date, at timestamptz,
        tags text[], extra jsonb, loud boolean generated always as (price > 9) stored);
      create table "Odd, names" ("a ""key""" text, "b.c" int, note text, primary key ("b.c", "a ""key"""));
      create table loose (note text)`);
  });

  async function openRows(table: string, more: Omit<OpenConsoleOptions, 'url'> = {}) {
    const opened = await world.asOwner(more);
    await opened.visit(`/projects/${projectId}/rows`);
    await opened.page.getByLabel('Table', { exact: true }).selectOption(table);
    const rows = opened.page.getByRole('region', { name: `Rows of ${table}` });
    const cells = async () => (await rows.getByRole('row').last().locator('.cell').allTextContents()).slice(1);
    return { ...opened, rows, cells };
  }

  test('a row is filled in by the types of its columns, changed, and deleted, and no number is rounded', async () => {
    const { page, press, rows, cells } = await openRows('things');
    await press('New row');
    const form = page.getByRole('dialog', { name: 'New row in things' });
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

    await rows.getByRole('button', { name: /^Edit row \d+$/ }).click();
    const change = page.getByRole('dialog', { name: /^Row of things: id \d+$/ });
    await change.getByLabel(/^mood /).selectOption('blue');
    await change.getByLabel('What price gets').selectOption('NULL');
    // Somebody else changes another column meanwhile: what was not touched here stays theirs.
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

    await rows.getByRole('button', { name: /^Edit row/ }).click();
    await press('Delete');
    await press('Really delete this row');
    await page.getByText('No rows').waitFor();
    expect(await run('select 1 from things')).toEqual([]);
  });

  test('what the database refuses is said in its words, and what was typed stays', async () => {
    await run("delete from things; insert into things (name) values ('Taken')");
    const { page, press, rows } = await openRows('things', { refusals: true });
    await rows.getByText('Taken').waitFor();
    await press('New row');
    const form = page.getByRole('dialog');
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
    expect(await page.evaluate('document.activeElement.textContent')).toBe('New row');

    // Deleted by somebody else while it is open.
    await rows.getByRole('button', { name: /^Edit row/ }).click();
    await run('delete from things');
    await form.getByLabel(/^name /).fill('Gone');
    await press('Save');
    await form.getByRole('alert').getByText('ROW_GONE').waitFor();
  });

  test('keys of several columns with names of any kind find their row, and a table without a key is left to SQL', async () => {
    await run(`insert into "Odd, names" values ('x,"y".z', 1, 'one'), ('x,"y".z', 2, 'two')`);
    const { page, press, rows } = await openRows('Odd, names');
    await rows.getByRole('button', { name: 'Edit row 2, x,"y".z' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/^note /)
      .fill('changed');
    await press('Save');
    await rows.getByText('changed').waitFor();
    expect(await run('select note from "Odd, names" order by "b.c"')).toEqual([{ note: 'one' }, { note: 'changed' }]);

    await run("insert into loose values ('a')");
    await page.getByLabel('Table', { exact: true }).selectOption('loose');
    await page.getByText('The table has no primary key').waitFor();
    expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
  });

  test('rows of one value are on one page each, whichever column they are in order by', async () => {
    await run(`create table alike (id int primary key, name text);
      insert into alike select n, 'same' from generate_series(1, 130) n order by md5(n::text)`);
    const { page, press, rows } = await openRows('alike');
    await press('name');
    const seen: string[] = [];
    const first = rows.locator('tbody tr td:nth-child(2)');
    for (const count of [50, 50, 30]) {
      await expect
        .poll(async () => (await first.allTextContents()).filter((id) => !seen.includes(id)).length)
        .toBe(count);
      seen.push(...(await first.allTextContents()));
      if (count === 50) await page.getByRole('button', { name: 'Next', exact: true }).click();
    }
    expect(new Set(seen).size).toBe(130);
  });

  test('Escape takes back the question whether to delete, and leaves the row’s form', async () => {
    await run("insert into things (name) values ('Kept')");
    const { page, press } = await openRows('things');
    await page.getByRole('button', { name: /^Edit/ }).last().click();
    await press('Delete');
    await page.getByRole('button', { name: 'Really delete this row' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('a visitor’s view is not written through, and who may not have the key is told what is left', async () => {
    const { page } = await openRows('things', { refusals: true });
    await page.getByRole('button', { name: 'New row' }).waitFor();
    await page.getByLabel('Seen with').selectOption('anon');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: 'New row' }).count()).toBe(0);

    const { page: seen, visit } = await world.asOwner({}, 'developer');
    await visit(`/projects/${projectId}/rows`);
    await seen.getByText('Rows by SQL alone').waitFor();
    await seen.getByLabel('Statements').fill('select 41 + 1 as answer');
    await seen.getByRole('button', { name: 'Run' }).click();
    await seen.getByRole('region', { name: 'Result' }).getByText('42').waitFor();
    expect(await seen.getByRole('alert').count()).toBe(0);
  });

  test.each([
    ['dark', 360],
    ['light', 3840],
  ] as const)('the form of a row fits: %s, %i pixels wide', async (colorScheme, width) => {
    const { page, press } = await openRows('things', { colorScheme, viewport: { width, height: 700 } });
    await press('New row');
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(
      await page.evaluate<number>(
        '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("dialog"))',
      ),
    ).toBeLessThanOrEqual(0);
  });
});
