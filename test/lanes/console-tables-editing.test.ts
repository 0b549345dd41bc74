import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { violations } from './console-owner.ts';
import { startTablesWorld } from './console-tables-world.ts';

describe.skipIf(chromiumProgram() === undefined)('cells of the table editor in Chromium', async () => {
  const { run, openTable } = await startTablesWorld();

  beforeAll(async () => {
    await run(`create type mood as enum ('glad', 'calm');
      create table authors (id int primary key, name text);
      create table books (id int primary key, title text, pages numeric, mood mood, done boolean not null default false,
        author_id int references authors(id));
      insert into authors select n, 'Author ' || n from generate_series(1, 3) n;
      insert into books select n, 'Book ' || n, n * 10, 'glad', false, n from generate_series(1, 3) n;
      create table writes (title text);
      create function note_write() returns trigger language plpgsql as
        $$ begin insert into writes values (new.title); return new; end $$;
      create trigger note_write after insert or update on books for each row execute function note_write()`);
  });

  /** The grid of books, with a cell of it made active. */
  async function openBooks(more: Parameters<typeof openTable>[1] = {}) {
    const opened = await openTable('books', { viewport: { width: 1700, height: 900 }, ...more });
    const { grid, page } = opened;
    const cell = (text: string) => grid.getByRole('gridcell', { name: text, exact: true });
    const edit = async (text: string, typed: string) => {
      await cell(text).click();
      await page.keyboard.press('F2');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(typed);
      await page.keyboard.press('Enter');
    };
    return { ...opened, cell, edit };
  }

  test('cells are edited by keys alone: typing begins, Enter commits, Escape takes back, Delete sets NULL', async () => {
    const { page, cell, grid } = await openBooks();
    await cell('Book 1').click();
    await page.keyboard.type('Emma');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('12345678901234567890.5');
    await page.keyboard.press('Tab');
    // The choice of a mood.
    await page.keyboard.press('Enter');
    await page.keyboard.press('c');
    await expect
      .poll(() => run('select title, pages::text, mood from books where id = 1'))
      .toEqual([{ title: 'Emma', pages: '12345678901234567890.5', mood: 'calm' }]);
    await cell('Book 2').click();
    await page.keyboard.type('Not this');
    await page.keyboard.press('Escape');
    await cell('Book 3').click();
    await page.keyboard.press('Delete');
    await expect
      .poll(() => run('select title from books where id > 1 order by id'))
      .toEqual([{ title: 'Book 2' }, { title: null }]);
    await expect.poll(() => grid.locator('.pending').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  test('a refused value stays with its reason until it is taken back', async () => {
    await run(`update books set title = 'Kept', pages = 7 where id = 2`);
    const { page, cell, grid, edit } = await openBooks({ refusals: true });
    await edit('7', 'many');
    const failed = grid.locator('.grid-cell.failed');
    await failed.getByText('many').waitFor();
    expect(await failed.getAttribute('title')).toContain('22P02');
    expect(await violations(page)).toEqual([]);
    await failed.click();
    await page.keyboard.press('Escape');
    await cell('7').waitFor();
    expect(await run('select pages::text from books where id = 2')).toEqual([{ pages: '7' }]);
  });

  test('of two people who change one cell, the later one sees both values and decides', async () => {
    await run(`update books set title = 'As seen' where id = 2`);
    const { page, cell, edit, press, grid } = await openBooks();
    await cell('As seen').waitFor();
    await run(`update books set title = 'Theirs' where id = 2`);
    await edit('As seen', 'Mine');
    const question = page.getByRole('alertdialog', { name: 'title was changed meanwhile' });
    await question.getByText('Theirs').waitFor();
    await question.getByText('Mine').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await run('select title from books where id = 2')).toEqual([{ title: 'Theirs' }]);
    await press('Use my value');
    await expect.poll(() => run('select title from books where id = 2')).toEqual([{ title: 'Mine' }]);
    // A value on its way cannot be changed again.
    await expect.poll(() => grid.locator('.pending').count()).toBe(0);

    await run(`update books set title = 'Theirs again' where id = 2`);
    await edit('Mine', 'Mine again');
    await question.getByText('Theirs again').waitFor();
    await press('Keep the other value');
    await cell('Theirs again').waitFor();
    expect(await run('select title from books where id = 2')).toEqual([{ title: 'Theirs again' }]);
  });

  test('while the gateway is away a typed value stays, and the change takes effect once', async () => {
    await run(`update books set title = 'Before' where id = 2; delete from writes`);
    const { page, cell, grid, edit } = await openBooks();
    await cell('Before').waitFor();
    const writing = (url: URL) => url.pathname === '/admin/v1/rest/books';
    // The change reaches the gateway, and its answer is lost.
    await page.route(writing, async (route) => {
      if (route.request().method() === 'PATCH') await route.fetch();
      await route.abort();
    });
    await edit('Before', 'After');
    await grid.locator('.pending').getByText('After').waitFor();
    await expect.poll(() => run('select count(*)::int as n from writes')).toEqual([{ n: 1 }]);
    await page.unroute(writing);
    await expect.poll(() => grid.locator('.pending').count()).toBe(0);
    await cell('After').waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    expect(await run('select title from writes')).toEqual([{ title: 'After' }]);
  });

  test('a change that waits for the gateway goes on while another table is shown, and tells when it fails', async () => {
    await run(`update books set title = 'Before' where id = 2`);
    const { page, cell, grid, edit } = await openBooks();
    const asks = () => page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    const writing = (url: URL) => url.pathname === '/admin/v1/rest/books';
    const leaveWith = async (text: string, typed: string) => {
      await cell(text).waitFor();
      await page.route(writing, (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()));
      await edit(text, typed);
      await grid.locator('.pending').getByText(typed).waitFor();
      await expect.poll(asks).toBe(true);
      await page.getByRole('link', { name: 'authors' }).click();
      await page.getByRole('grid', { name: 'Rows of authors' }).waitFor();
    };
    expect(await asks()).toBe(false);
    await leaveWith('Before', 'Later');
    await page.unroute(writing);
    await expect.poll(() => run('select title from books where id = 2')).toEqual([{ title: 'Later' }]);
    await expect.poll(asks).toBe(false);

    await page.getByRole('link', { name: 'books' }).click();
    await leaveWith('Later', 'Mine');
    await run(`update books set title = 'Theirs' where id = 2`);
    await page.unroute(writing);
    await page.getByText('A change in books is not saved').waitFor();
    await page.getByRole('link', { name: 'books' }).click();
    const question = page.getByRole('alertdialog', { name: 'title was changed meanwhile' });
    await question.getByText('Theirs').waitFor();
    await question.getByRole('button', { name: 'Use my value' }).click();
    await expect.poll(() => run('select title from books where id = 2')).toEqual([{ title: 'Mine' }]);
  });

  test('an editor that is scrolled out of sight keeps its text, and a press elsewhere keeps the focus', async () => {
    await run(`create table if not exists many (id int primary key, title text);
      truncate many; insert into many select n, 'Title ' || n from generate_series(1, 90) n`);
    const { page, grid, press } = await openTable('many');
    const search = page.getByRole('searchbox', { name: 'Search tables' });
    await grid.getByText('Title 2', { exact: true }).click();
    await page.keyboard.type('Typed');
    await grid.evaluate((one: { scrollTop: number }) => {
      one.scrollTop = 2_000;
    });
    await grid.getByText('Title 80', { exact: true }).waitFor();
    await page.keyboard.type(' on');
    await search.click();
    await expect.poll(() => run('select title from many where id = 2')).toEqual([{ title: 'Typed on' }]);
    await page.keyboard.type('many');
    expect(await search.inputValue()).toBe('many');

    // The active row is beyond the last one of a filter, and keys move on from there.
    await grid.focus();
    await page.keyboard.press('ControlOrMeta+End');
    await press('Filter');
    await page.getByLabel('Value').fill('3');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: id is 3' }).waitFor();
    await grid.getByText('Title 90').waitFor({ state: 'detached' });
    await grid.focus();
    await page.keyboard.type('Third');
    await page.keyboard.press('Enter');
    await expect.poll(() => run('select title from many where id = 3')).toEqual([{ title: 'Third' }]);
  });

  test('a press outside takes back nothing that was typed into a long text', async () => {
    await run(`update books set title = '${'long '.repeat(20)}' where id = 1`);
    const { page, grid } = await openBooks();
    const editor = page.getByRole('textbox', { name: 'title of row 1' });
    await grid.getByText('long long').dblclick();
    await editor.waitFor();
    await page.mouse.click(5, 890);
    await editor.waitFor({ state: 'detached' });
    await grid.getByText('long long').dblclick();
    await editor.click();
    await page.keyboard.type('Mine');
    await page.mouse.click(5, 890);
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByText('Mine').waitFor();
    await page.mouse.click(5, 890);
    await question.getByRole('button', { name: 'Discard' }).click();
    await editor.waitFor({ state: 'detached' });
    expect(await run('select left(title, 4) as title from books where id = 1')).toEqual([{ title: 'long' }]);
  });

  test('ten presses of Insert are one row', async () => {
    await run('delete from writes');
    const { page, press } = await openBooks({ refusals: true });
    await press('New row');
    const form = page.getByRole('alertdialog');
    await form.getByLabel(/^id /).fill('77');
    await form.getByLabel(/^title /).fill('Once');
    await form.locator('form').evaluate((one) => {
      for (let press = 0; press < 10; press++) (one as HTMLFormElement).requestSubmit();
    });
    await form.waitFor({ state: 'detached' });
    expect(await run('select title from writes')).toEqual([{ title: 'Once' }]);
    await run('delete from books where id = 77');
  });

  test('a foreign key leads to its row and back, and a row to those that refer to it', async () => {
    await run('delete from books where id > 3; update books set author_id = id');
    const { page, grid } = await openBooks();
    await grid.getByRole('row').nth(2).hover();
    await grid.getByRole('button', { name: 'Open the row of authors 2' }).click();
    const authors = page.getByRole('grid', { name: 'Rows of authors' });
    await authors.getByText('Author 2').waitFor();
    expect(await authors.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Remove filter: id is 2' }).waitFor();
    await page.goBack();
    await grid.waitFor();
    await page.goForward();
    await authors.getByRole('row').nth(1).hover();
    await authors.getByRole('button', { name: 'Open row 1', exact: true }).click();
    await page.getByRole('link', { name: 'books (author_id)' }).click();
    await page.getByRole('button', { name: 'Remove filter: author_id is 2' }).waitFor();
    await expect.poll(() => grid.getByRole('row').count()).toBe(2);
  });

  test('chosen rows are deleted after a question', async () => {
    await run(`insert into books (id, title) select n, 'Extra ' || n from generate_series(10, 12) n`);
    const { page, grid, cell, press } = await openBooks();
    await cell('Extra 10').click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Space');
    expect(await grid.getByRole('row', { selected: true }).count()).toBe(3);
    await press('Delete 3');
    await press('Delete 3 rows');
    await page.getByText('3 rows were deleted.').waitFor();
    expect(await run('select id from books where id >= 10')).toEqual([]);
  });
});
