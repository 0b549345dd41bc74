import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import type { OpenOptions } from '../helpers/console-page.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('SQL of the console in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, key } = world;
  beforeAll(async () => {
    const sql = 'create table notes (id int primary key, body text)';
    const { status } = await service.call(key, 'POST', `/projects/v1/admin/${projectId}/sql`, { body: { sql } });
    expect(status).toBe(200);
  });

  async function openSql(more: OpenOptions = {}) {
    const opened = await world.asOwner(more);
    await opened.visit(`/projects/${projectId}/rows`);
    const { page } = opened;
    const statements = page.getByLabel('Statements');
    await statements.waitFor();
    const run = async (sql: string) => {
      await statements.fill(sql);
      await statements.press('Control+Enter');
    };
    return {
      ...opened,
      statements,
      run,
      alert: page.getByRole('alert'),
      result: page.getByRole('region', { name: 'Result' }),
    };
  }

  /** What is marked in the editor. */
  const marked = `(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)`;

  test('what PostgreSQL says of a mistake is told with its place, and the last result is gone', async () => {
    const { page, press, run, alert, result } = await openSql();
    await run('select 41 + 1 as answer');
    await result.getByText('42').waitFor();
    await run("select 'ünïcödé 🙂',\n  nothing from notes");
    await alert.getByText('column "nothing" does not exist').waitFor();
    await alert.getByText('42703').waitFor();
    expect(await result.count()).toBe(0);
    expect(await alert.locator('pre').textContent()).toBe('2 |   nothing from notes\n      ^');
    expect(await violations(page)).toEqual([]);
    await press('Go to line 2, column 3');
    expect(await page.evaluate(marked)).toBe('nothing');

    await run('select boddy from notes');
    await alert.getByText('Hint: Perhaps you meant to reference the column "notes.body".').waitFor();
    await run('selec 1');
    await alert.getByText('syntax error at or near "selec"').waitFor();
    expect(await alert.locator('pre').textContent()).toBe('1 | selec 1\n    ^');
    await run('insert into notes (id) values (1), (1)');
    await alert.getByText('Detail: ').waitFor();
    await run('select 1 as one');
    await result.getByText('1').first().waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('of a script the place is that in the whole text', async () => {
    const { page, press, run, alert } = await openSql();
    await run('select 1;\n\n/* ü */ select 2; select missing');
    await alert.getByText('column "missing" does not exist').waitFor();
    await press('Go to line 3, column 26');
    expect(await page.evaluate(marked)).toBe('missing');
  });

  test('SQL that deletes names what is lost, and runs only once that is confirmed', async () => {
    const { page, press, run, result } = await openSql();
    await run('create table spare (id int); insert into spare values (1), (2)');
    await page.getByText('Done: 2 rows.').waitFor();
    const dialog = page.getByRole('dialog', { name: 'Run SQL that deletes or overwrites data?' });
    await run('/* tidy up */ delete from spare; drop table spare cascade');
    await dialog.getByText('Deletes all rows of spare.').waitFor();
    await dialog.getByText('Deletes the table spare with all its rows, and everything that depends on it.').waitFor();
    expect(await violations(page)).toEqual([]);
    // The keyboard is where nothing happens by a slip.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Statements').press('Control+Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await run('select count(*) as spared from spare');
    await result.getByText('2').waitFor();
    await run('drop table spare');
    await press('Run it');
    await page.getByText('Done.', { exact: true }).waitFor();
    await run("select to_regclass('spare') is null as gone");
    await result.getByText('true').waitFor();
    expect(await dialog.count()).toBe(0);
  });

  test.each([
    ['dark', 360],
    ['light', 1024],
    ['dark', 1920],
  ] as const)('mistakes and questions fit: %s, %i pixels wide', async (colorScheme, width) => {
    const { page, run, alert } = await openSql({ colorScheme, viewport: { width, height: 800 } });
    const fits = async () => {
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    };
    await run(`select ${'1 + '.repeat(60)} nothing from notes`);
    await alert.waitFor();
    await fits();
    await run(`drop table ${'a_rather_long_name_'.repeat(3)}; delete from notes`);
    await page.getByRole('dialog').waitFor();
    await fits();
  });
});
