import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { violations } from './console-owner.ts';
import { startTablesWorld } from './console-tables-world.ts';

describe.skipIf(chromiumProgram() === undefined)('files and schema of the table editor in Chromium', async () => {
  const { run, openTable } = await startTablesWorld();
  const csvOf = (text: string) => ({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

  test('a file is mapped, its good rows go in once though an answer is lost, and refused ones are listed by line', async () => {
    await run('create table people (id int primary key, name varchar(20) not null, born date)');
    const { page, press } = await openTable('people', {}, '&dialog=import');
    let isLost = false;
    await page.routeWebSocket(/\/graphql$/, (client) => {
      const gateway = client.connectToServer();
      gateway.onMessage((message) => {
        // The first batch takes place, and the connection breaks before its answer arrives.
        if (!isLost && String(message).includes('"rowCount":200')) {
          isLost = true;
          void client.close();
          void gateway.close();
        } else client.send(message);
      });
    });
    await page.reload();
    const dialog = page.getByRole('alertdialog', { name: 'Import into people' });
    const lines = Array.from({ length: 200 }, (_line, at) => `${at + 1},Person ${at + 1},1990-01-02,x`);
    await dialog.locator('input[type=file]').setInputFiles(csvOf(`ID,full name,born,other\n${lines.join('\n')}\n`));
    await dialog.getByRole('button', { name: /Column for full name$/ }).click();
    await page.getByRole('option', { name: /^name / }).click();
    expect(await violations(page)).toEqual([]);
    await press('Import 200 rows');
    await dialog.getByText('Done: 200 of 200 rows inserted.').waitFor();
    expect(isLost).toBe(true);
    expect(await run('select count(*)::int as n from people')).toEqual([{ n: 200 }]);
    await press('Close');

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Import CSV' }).click();
    const bad =
      'id,name,born\n201,"Two\nlines",\n5,Twice,\n202,A name of more than twenty letters,\n203,Good,never\n204,Fine,2000-01-01\n';
    await dialog.locator('input[type=file]').setInputFiles(csvOf(bad));
    await dialog.getByText('Line 6, born:').waitFor();
    await press('Import 5 rows');
    await dialog.getByText('Done: 2 of 5 rows inserted, 3 refused.').waitFor();
    const refused = await dialog.getByRole('list', { name: 'Refused rows' }).getByRole('listitem').allTextContents();
    expect(refused).toEqual([
      expect.stringMatching(/^Line 4: .*duplicate key.*Key \(id\)=\(5\)/),
      expect.stringMatching(/^Line 5: .*too long/),
      expect.stringMatching(/^Line 6: .*"never"/),
    ]);
    const saved = page.waitForEvent('download');
    await press('Save the refused rows');
    const file = await readFile(await (await saved).path(), 'utf8');
    expect(file.split('\r\n').slice(0, 2)).toEqual(['id,name,born,line,reason', expect.stringMatching(/^5,Twice,,4,/)]);
    expect(await run('select id, name from people where id > 200 order by id')).toEqual([
      { id: 201, name: 'Two\nlines' },
      { id: 204, name: 'Fine' },
    ]);
  });

  test('an import that is stopped tells what it inserted, Escape does not stop it, and a file of other signs is refused', async () => {
    await run('create table stopped (id int primary key, name text)');
    const { page, press, grid } = await openTable('stopped', {}, '&dialog=import');
    const batches: (() => void)[] = [];
    await page.routeWebSocket(/\/graphql$/, (client) => {
      const gateway = client.connectToServer();
      // Batches behind the first wait until they are let go.
      client.onMessage((message) => {
        if (String(message).includes('mutation RunTableSql') && batches.push(() => gateway.send(message)) > 1) return;
        gateway.send(message);
      });
    });
    await page.reload();
    const dialog = page.getByRole('alertdialog', { name: 'Import into stopped' });
    const input = dialog.locator('input[type=file]');
    await input.setInputFiles({ ...csvOf(''), buffer: Buffer.from('id,name\n1,Jos\u00e9', 'latin1') });
    await dialog.getByText('The file is not in UTF-8').waitFor();
    const lines = Array.from({ length: 1_600 }, (_line, at) => `${at + 1},Name ${at + 1}`);
    await input.setInputFiles(csvOf(`id,name\n${lines.join('\n')}\n`));
    await press('Import 1,600 rows');
    await dialog.getByText('500 of 1,600 rows inserted, 1,100 to go.').waitFor();
    await expect.poll(() => batches.length).toBe(2);
    await page.keyboard.press('Escape');
    await press('Stop');
    batches[1]!();
    await dialog.getByText('Stopped: 1,000 of 1,600 rows inserted.').waitFor();
    expect(await violations(page)).toEqual([]);
    await press('Close');
    await grid.getByText('Name 1', { exact: true }).waitFor();
    expect(await run('select count(*)::int as n from stopped')).toEqual([{ n: 1_000 }]);
  });

  test('an export holds every row that the filters leave, whole and in order', async () => {
    await run(`create table exported (id int primary key, body text, doc jsonb);
      insert into exported select n, case when n = 3 then 'a "b", c' || repeat('z', 100) end, '{"n": 9007199254740993}'
        from generate_series(1, 2600) n`);
    const where = encodeURIComponent('[["id","gt","2"]]');
    const { page, press } = await openTable('exported', {}, `&where=${where}&dialog=export`);
    const saved = page.waitForEvent('download');
    await press('Export CSV');
    const file = await saved;
    expect(file.suggestedFilename()).toBe('exported.csv');
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2_599);
    expect(lines.slice(0, 2)).toEqual(['id,body,doc', `3,"a ""b"", c${'z'.repeat(100)}","{""n"": 9007199254740993}"`]);
    expect(lines.at(-1)).toBe('2600,,"{""n"": 9007199254740993}"');
  });

  test('tables and columns are made, changed and dropped, and the SQL is shown before it runs', async () => {
    await run('create table first (id int primary key)');
    const { page, press, fill } = await openTable('first');
    await press('New table');
    // A note in the corner is an alert dialog, too.
    const dialog = page.locator('.modal');
    await fill('Name of the table', 'my "odd"; table');
    await press('Add column');
    await fill('Name', 'Größe');
    await dialog.getByText('alter table "my ""odd""; table" enable row level security;').waitFor();
    expect(await violations(page)).toEqual([]);
    await press('Create table');
    await page.getByRole('heading', { name: 'my "odd"; table' }).waitFor();
    expect(await run(`select relrowsecurity from pg_class where relname = 'my "odd"; table'`)).toEqual([
      { relrowsecurity: true },
    ]);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Add column' }).click();
    await fill('Name', 'n');
    await dialog.getByRole('combobox', { name: 'Type' }).fill('no_such_type');
    await page.keyboard.press('Tab');
    await press('Add column');
    await dialog.getByRole('alert').getByText('no_such_type').waitFor();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('n');
    await dialog.getByRole('combobox', { name: 'Type' }).fill('integer');
    await page.keyboard.press('Tab');
    await press('Add column');
    await dialog.waitFor({ state: 'detached' });
    const columns = () =>
      run(`select attname, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = '"my ""odd""; table"'::regclass and attnum > 0 and not attisdropped order by attnum`);
    expect(await columns()).toEqual([
      { attname: 'id', type: 'bigint' },
      { attname: 'Größe', type: 'text' },
      { attname: 'n', type: 'integer' },
    ]);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Drop table' }).click();
    await dialog.getByText('drop table "my ""odd""; table";').waitFor();
    await press('Drop table');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The table was dropped.').waitFor();
    expect(await run(`select 1 from pg_class where relname = 'my "odd"; table'`)).toEqual([]);
  });
});
