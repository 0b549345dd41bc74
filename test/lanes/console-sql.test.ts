import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import type { OpenOptions } from '../helpers/console-page.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

interface Clipboarded {
  readonly navigator: { readonly clipboard: { writeText: (text: string) => Promise<void> } };
}

describe.skipIf(chromiumProgram() === undefined)('SQL of the console in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId } = world;
  beforeAll(async () => {
    await world.run('create table notes (id int primary key, body text)');
  });

  async function openSql(more: OpenOptions = {}, search = '') {
    const opened = await world.asOwner(more);
    await opened.visit(`/projects/${projectId}/sql${search}`);
    const { page } = opened;
    const editor = page.getByRole('textbox', { name: 'SQL', exact: true });
    await editor.waitFor();
    const write = async (sql: string) => {
      await editor.click();
      await page.keyboard.press('ControlOrMeta+a');
      // Chromium gives text that replaces highlighted text its colours, which the page's policy refuses with a complaint.
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(sql);
    };
    const run = async (sql: string) => {
      await write(sql);
      await page.keyboard.press('ControlOrMeta+Enter');
    };
    const result = page.getByRole('region', { name: 'Result', exact: true });
    return { ...opened, editor, write, run, result, alert: result.getByRole('alert') };
  }

  const runs = async () =>
    Number(
      (
        await service.control.sql<{ count: string }>(
          `select count(*) from audit_events where action = 'project.sql_run' and object_id = $1`,
          [projectId],
        )
      )[0]!.count,
    );

  test('what PostgreSQL says of a mistake is told with its place, and the last result is gone', async () => {
    const { page, press, run, alert, result, editor } = await openSql();
    await run('select 41 + 1 as answer');
    await result.getByRole('gridcell', { name: '42' }).waitFor();
    await run("select 'ünïcödé 🙂',\n  nothing from notes");
    await alert.getByText('column "nothing" does not exist').waitFor();
    await alert.getByText('42703').waitFor();
    expect(await result.getByRole('grid').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await press('Go to line 2, column 3');
    await page.keyboard.type('X');
    expect(await editor.textContent()).toContain('Xnothing');
    await run('select boddy from notes');
    await alert.getByText('Hint: Perhaps you meant to reference the column "notes.body".').waitFor();
    await run('insert into notes (id) values (1), (1)');
    await alert.getByText('Detail: ').waitFor();
    await run('select 1 as one');
    await result.getByRole('gridcell', { name: '1' }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('each statement of a script has its result, and what is selected runs alone', async () => {
    const { page, editor, run, result } = await openSql();
    await run("select 'first' as a;\nselect 'second' as b");
    await result.getByRole('tab', { name: '2: SELECT 1' }).waitFor();
    await result.getByRole('gridcell', { name: 'second' }).waitFor();
    await result.getByRole('tab', { name: '1: SELECT 1' }).click();
    await result.getByRole('gridcell', { name: 'first' }).waitFor();
    await editor.click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('ControlOrMeta+Enter');
    await result.getByRole('tab').first().waitFor({ state: 'detached' });
    await result.getByRole('gridcell', { name: 'first' }).waitFor();
  });

  test('ten presses run once, and a draft outlives a reload', async () => {
    const { page, write, result, editor } = await openSql();
    await world.run('create table if not exists once_only (id int)');
    const before = await runs();
    await write('insert into once_only values (1); select count(*)::int as n from once_only, pg_sleep(0.5)');
    const button = page.getByRole('button', { name: 'Run', exact: true });
    await button.evaluate((pressed) => {
      for (let press = 0; press < 10; press += 1) (pressed as unknown as { click: () => void }).click();
    });
    await result.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    expect(await runs()).toBe(before + 1);
    await page.reload();
    await editor.waitFor();
    await expect.poll(() => editor.textContent()).toContain('once_only');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: /insert into once_only.*Done/s }).waitFor();
  });

  test('a run without a connection is said to wait, goes on when the gateway is back, and is run once', async () => {
    const way = await startBreakableWay(service.url);
    onTestFinished(way.close);
    await world.run('create table survived (id int)');
    const { page, write, result } = await openSql({ url: way.url });
    const counted = async () =>
      (
        await service.call<{ readonly rows: readonly object[] }>(
          world.key,
          'POST',
          `/projects/v1/admin/${projectId}/sql`,
          { body: { sql: 'select count(*)::int as n from survived' } },
        )
      ).body.rows;
    await write('insert into survived values (1); select count(*)::int as n from survived');
    way.cut();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await result.getByText('The gateway is away').waitFor();
    way.mend();
    await result.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    expect(await counted()).toEqual([{ n: 1 }]);

    // The gateway ends a run whose caller has left, and says so when the caller is back.
    await write('insert into survived values (2); select pg_sleep(60)');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    // What was not sent yet when the way is cut is run in full afterwards.
    await expect
      .poll(() =>
        service.control.sql(
          `select 1 from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()`,
          ['%pg_sleep(60)%'],
        ),
      )
      .not.toEqual([]);
    way.cut();
    await result.getByText('The gateway is away').waitFor();
    way.mend();
    await result.getByText('Nothing of it was kept.').waitFor();
    expect(await counted()).toEqual([{ n: 1 }]);
  });

  test('SQL as a visitor is held to row security, and a trial keeps nothing', async () => {
    await world.run('create table tried (id int); create table hidden (id int)');
    const { page, run, result, alert } = await openSql({}, '?as=anon');
    await run('select id from hidden');
    await alert.getByText('permission denied for table hidden').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${service.url}/console/projects/${projectId}/sql?rollback=on`);
    await page.getByRole('textbox', { name: 'SQL', exact: true }).waitFor();
    await run('insert into tried values (1); select count(*)::int as n from tried');
    await result.getByText('Tried, and rolled back').waitFor();
    const [{ n }] = (await service
      .call(world.key, 'POST', `/projects/v1/admin/${projectId}/sql`, {
        body: { sql: 'select count(*)::int as n from tried' },
      })
      .then(({ body }) => (body as unknown as { rows: [{ n: number }] }).rows)) as [{ n: number }];
    expect(n).toBe(0);
  });

  test('a plan is a tree with the costliest step marked, and explaining a change changes nothing', async () => {
    await world.run('create table planned as select n as id from generate_series(1, 500) n');
    const { page, press, write, result } = await openSql();
    await write('delete from planned where id in (select id from planned where id > 3)');
    await press('Explain');
    await page.getByRole('menuitem', { name: /^Explain analyze/ }).click();
    await result.getByText('costliest').waitFor();
    await result
      .getByText(/rows, .* expected/)
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await result.getByRole('tab', { name: 'JSON' }).click();
    await result.getByText('"Node Type"').first().waitFor();
    const rows = await service.call(world.key, 'POST', `/projects/v1/admin/${projectId}/sql`, {
      body: { sql: 'select count(*)::int as n from planned' },
    });
    expect(rows.body).toMatchObject({ rows: [{ n: 500 }] });
  });

  test('a query is saved for everybody, and who changed an older version is told before anything is lost', async () => {
    const { page, press, write, fill, editor } = await openSql();
    await write('select 1 as mine');
    await press('Save');
    await fill('Name', 'Shared one');
    await press('Save query');
    await page.getByRole('tab', { name: 'Shared one' }).waitFor();
    const [saved] = await service.control.sql<{ id: string }>(
      `select id from saved_queries where project_id = $1 and name = 'Shared one'`,
      [projectId],
    );
    await write('select 2 as mine');
    await service.call(world.key, 'POST', `/projects/v1/${projectId}/queries`, {
      body: { query: saved!.id, version: 1, name: 'Shared one', sql: 'select 3 as theirs' },
    });
    await press('Save');
    await page.getByText('This query was changed by others').waitFor();
    // React Aria announces a button that works for seven seconds, also when its dialog is closed meanwhile.
    await page.locator('[data-live-announcer] [role=img]').first().waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
    await press('Show their version');
    await page.getByRole('dialog').getByText('select 3 as theirs').waitFor();
    await press('Keep mine');
    expect(await editor.textContent()).toContain('select 2 as mine');
    await press('Save mine over it');
    await page.getByText('This query was changed by others').waitFor({ state: 'detached' });
    const [after] = await service.control.sql<{ sql: string; version: number }>(
      'select sql, version from saved_queries where id = $1',
      [saved!.id],
    );
    expect(after).toEqual({ sql: 'select 2 as mine', version: 3 });
  });

  test('a text that is typed while the query is saved stays, and is saved next', async () => {
    const { page, press, write, fill, editor } = await openSql();
    await write('select 1 as slow');
    await press('Save');
    await fill('Name', 'Slow one');
    await press('Save query');
    await page.getByRole('tab', { name: 'Slow one' }).waitFor();
    // The first mutation waits until it is told to go.
    let go: (() => void) | undefined;
    await page.routeWebSocket(/graphql/, (near) => {
      const far = near.connectToServer();
      near.onMessage((sent) => {
        if (go !== undefined || !String(sent).includes('mutation SaveQuery')) return far.send(sent);
        go = () => far.send(sent);
      });
    });
    await page.reload();
    await expect.poll(() => editor.textContent()).toContain('select 1 as slow');
    await write('select 2 as slow');
    await press('Save');
    await editor.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(', 3 as later');
    await expect.poll(() => go).toBeDefined();
    go!();
    await page.getByText('Saved “Slow one”').last().waitFor();
    await page.getByRole('tab', { name: 'Slow one •' }).waitFor();
    expect(await editor.textContent()).toContain('select 2 as slow, 3 as later');
    await press('Save');
    await page.getByRole('tab', { name: 'Slow one', exact: true }).waitFor();
    const saved = await service.control.sql(
      `select sql, version from saved_queries where project_id = $1 and name = 'Slow one'`,
      [projectId],
    );
    expect(saved).toEqual([{ sql: 'select 2 as slow, 3 as later', version: 3 }]);
  });

  test('texts of queries are found again after another page, and are thrown away only when that is confirmed', async () => {
    const { page, press, write, editor } = await openSql();
    await write('select 1 as first');
    await press('New query');
    await write('select 2 as second');
    await page.getByRole('link', { name: 'Tables', exact: true }).click();
    await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'SQL', exact: true }).click();
    await expect.poll(() => editor.textContent()).toContain('select 1 as first');
    await press('New query');
    await page.getByRole('tab', { name: 'Query 3', selected: true }).waitFor();
    await page.getByRole('tab', { name: 'Query 2' }).click();
    await expect.poll(() => editor.textContent()).toContain('select 2 as second');
    await press('Close this query');
    const question = page.getByRole('alertdialog', { name: 'Close “Query 2”?' });
    await question.waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await editor.textContent()).toContain('select 2 as second');
    await press('Close this query');
    await press('Discard and close');
    await page.getByRole('tab', { name: 'Query 2' }).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Query 1' }).waitFor();
    await page.getByRole('tab', { name: 'Query 3' }).click();
    // One without a text is closed at once.
    await press('Close this query');
    await page.getByRole('tab', { name: 'Query 3' }).waitFor({ state: 'detached' });
  });

  test('two tabs of a browser do not take each other’s texts', async () => {
    const { page, write, editor } = await openSql();
    await write('select 1 as here');
    const other = await page.context().newPage();
    await other.goto(page.url());
    const there = other.getByRole('textbox', { name: 'SQL', exact: true });
    await expect.poll(() => there.textContent()).toContain('select 1 as here');
    await there.click();
    await other.keyboard.press('ControlOrMeta+a');
    await other.keyboard.press('Delete');
    await other.keyboard.insertText('select 2 as there');
    await page.getByText('Your text is kept here as Query 2').waitFor();
    expect(await editor.textContent()).toContain('select 1 as here');
    expect(await there.textContent()).toContain('select 2 as there');
    await page.goto(`${service.url}/console/projects/${projectId}/sql`);
    await expect.poll(() => editor.textContent()).toContain('select 2 as there');
    await page.getByRole('tab', { name: 'Query 2' }).click();
    await expect.poll(() => editor.textContent()).toContain('select 1 as here');
  });

  test('two columns of one name show their own values, in the grid and in what is copied', async () => {
    const { page, press, run, result } = await openSql({ permissions: ['clipboard-read', 'clipboard-write'] });
    await run("select 11 as id, 'a' as name, 22 as id");
    await result.getByRole('gridcell', { name: '11' }).waitFor();
    await result.getByRole('gridcell', { name: '22' }).waitFor();
    const copy = async (entry: string) => {
      await press('Export');
      await page.getByRole('menuitem', { name: entry }).click();
      // What was said of the copy before may still be there.
      await page.getByText(entry.replace('Copy', 'Copied'), { exact: true }).waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    expect(await copy('Copy as CSV')).toBe('id,name,id\r\n11,a,22\r\n');
    expect(JSON.parse(await copy('Copy as JSON'))).toEqual([{ id: 11, name: 'a', id_2: 22 }]);
  });

  test('SQL that deletes names what is lost, and runs only once that is confirmed', async () => {
    const { page, press, run, result, editor } = await openSql();
    await run('create table spare (id int); insert into spare values (1), (2)');
    await result.getByText('2 statements').waitFor();
    const dialog = page.getByRole('alertdialog', { name: 'Run SQL that deletes or overwrites data?' });
    await run('/* tidy up */ delete from spare; drop table spare cascade');
    await dialog.getByText('Deletes all rows of spare.').waitFor();
    await dialog.getByText('Deletes the table spare with all its rows, and everything that depends on it.').waitFor();
    expect(await violations(page)).toEqual([]);
    // The keyboard is where nothing happens by a slip.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await editor.click();
    await page.keyboard.press('ControlOrMeta+Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await run('select count(*) as spared from spare');
    await result.getByRole('gridcell', { name: '2' }).waitFor();
    await run('drop table spare');
    await press('Run it');
    await result.getByText(/^DROP TABLE/).waitFor();
    await run("select to_regclass('spare') is null as gone");
    await result.getByRole('gridcell', { name: 'true' }).waitFor();
    expect(await dialog.count()).toBe(0);
  });

  test('Ctrl+Enter straight after a text is put in runs that text, each once', async () => {
    await world.run('create table if not exists straight (id int)');
    const { page, editor, press, write, result, alert } = await openSql({
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const count = 'select count(*)::int as n from straight';
    const idle = () =>
      expect.poll(() => page.locator('button[aria-disabled=true] .spinner, [data-pending]').count()).toBe(0);
    const before = await runs();
    for (let round = 1; round <= 4; round += 1) {
      for (const sql of [`insert into straight values (${round})`, count]) {
        await page.evaluate((text) => (globalThis as unknown as Clipboarded).navigator.clipboard.writeText(text), sql);
        await editor.click();
        await idle();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.press('Delete');
        // By the clipboard, as people do, and by a composition of a moment.
        await (sql === count ? page.keyboard.insertText(sql) : page.keyboard.press('ControlOrMeta+v'));
        await page.keyboard.press('ControlOrMeta+Enter');
        await result.getByText(sql === count ? /^SELECT, / : /^INSERT, /).waitFor();
      }
      await result.getByRole('gridcell', { name: String(round), exact: true }).waitFor();
    }
    expect(await runs()).toBe(before + 8);

    // The warning is of the text that was put in, and the palette runs that, too.
    await write('drop table straight');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('Deletes the table straight with all its rows.').waitFor();
    await press('Cancel');
    await write('select 7 as seven');
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('Run this SQL');
    await page.keyboard.press('Enter');
    await result.getByRole('gridcell', { name: '7', exact: true }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('a saved query that has not arrived yet cannot be written into', async () => {
    const { page, press, write, fill, editor } = await openSql();
    await write('select 1 as kept_whole');
    await press('Save');
    await fill('Name', 'Late one');
    await press('Save query');
    await page.getByRole('tab', { name: 'Late one' }).waitFor();
    let arrive: (() => void) | undefined;
    await page.routeWebSocket(/graphql/, (near) => {
      const far = near.connectToServer();
      near.onMessage((sent) => {
        if (!String(sent).includes('query SavedQueries')) return far.send(sent);
        arrive = () => far.send(sent);
      });
    });
    await page.reload();
    await expect.poll(() => arrive).toBeDefined();
    await page.getByRole('tab', { name: 'Saved query' }).waitFor();
    expect(await editor.count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.type('lost');
    arrive!();
    await page.getByRole('tab', { name: 'Late one', exact: true }).waitFor();
    await expect.poll(() => editor.textContent()).toContain('select 1 as kept_whole');
    expect(await editor.textContent()).not.toContain('lost');
    // A text of its own is there at once.
    await write('select 2 as typed_whole');
    arrive = undefined;
    await page.reload();
    await expect.poll(() => arrive).toBeDefined();
    await expect.poll(() => editor.textContent()).toContain('select 2 as typed_whole');
  });

  test.each([
    ['dark', 360],
    ['light', 1024],
    ['dark', 1920],
  ] as const)('mistakes, results and questions fit: %s, %i pixels wide', async (colorScheme, width) => {
    const { page, run, alert, result } = await openSql({ colorScheme, viewport: { width, height: 800 } });
    const fits = async () => {
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    };
    await run("select 1 as one, repeat('wide ', 50) as wide; select 2");
    await result.getByRole('grid').waitFor();
    await fits();
    await run(`select ${'1 + '.repeat(60)} nothing from notes`);
    await alert.waitFor();
    await fits();
    await run(`drop table ${'a_rather_long_name_'.repeat(3)}; delete from notes`);
    await page.getByRole('alertdialog').waitFor();
    await fits();
  });

  test('signing out leaves none of the drafts, queries and imports in the browser', async () => {
    const { page, visit, run, result, write, editor, chooseInMenu, enter } = await openSql();
    await run("select 'secret 1'");
    await result.getByRole('gridcell', { name: 'secret 1' }).waitFor();
    await write("select 'secret 2'");
    await visit(`/projects/${projectId}/users?dialog=import`);
    await page.getByLabel('Users as JSON or CSV').fill('email,encrypted_password\na@example.com,secret 3');
    await visit(`/projects/${projectId}/api?part=graphql`);
    await page.getByRole('textbox', { name: 'Variables' }).click();
    await page.keyboard.insertText('{"a": "secret 4"}');
    const kept = () => page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })');
    for (const secret of ['secret 1', 'secret 2', 'secret 3', 'secret 4']) await expect.poll(kept).toContain(secret);
    await chooseInMenu('Sign out');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await kept()).not.toContain('secret');
    await enter();
    await page.getByRole('link', { name: 'SQL', exact: true }).click();
    await editor.waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    expect(await page.getByRole('main').textContent()).not.toContain('secret');
  });
});
