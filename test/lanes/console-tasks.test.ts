import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';
import { type Steps, stepsBy } from './steps.ts';

const docs = fileURLToPath(new URL('../../docs/console.md', import.meta.url));

/** Steps of each task by its number, as docs/console.md lists them: of this console, and of Supabase Studio. */
async function documentedSteps(): Promise<ReadonlyMap<number, { readonly own: number; readonly studio: number }>> {
  const rows = (await readFile(docs, 'utf8')).matchAll(/^\| (\d+) \| .* \| (\d+) \| (\d+) \|$/gm);
  return new Map(
    [...rows].map(([, task, own, studio]) => [Number(task), { own: Number(own), studio: Number(studio) }]),
  );
}

interface Task {
  /** Brings the page to where the task begins. */
  readonly begin: string;
  readonly run: (page: Page, steps: Steps) => Promise<void>;
  /** What the gateway has afterwards. */
  readonly done?: () => Promise<void>;
}

describe.skipIf(chromiumProgram() === undefined)('ten tasks of the console in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, orgId, projectId, key } = world;

  const rowsOf = async (sql: string) => {
    const path = `/projects/v1/admin/${projectId}/sql`;
    return (await service.call<{ readonly rows: readonly object[] }>(key, 'POST', path, { body: { sql } })).body.rows;
  };
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });
  const link = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true });

  /** The tasks in order; the names keep those of two means apart. */
  const tasksOf = (own: string): ReadonlyMap<number, Task> => {
    const home = `/projects/${projectId}`;
    const table = `${home}/tables?table=people_${own}`;
    return new Map<number, Task>([
      [
        1,
        {
          begin: `/orgs/${orgId}`,
          async run(page, { press, write }) {
            await press(button(page, 'New project'));
            await write(page.getByRole('textbox', { name: 'Name' }), `Shop ${own}`);
            await press(button(page, 'Create project'));
            await page.getByRole('button', { name: `Project: Shop ${own}` }).waitFor();
          },
        },
      ],
      [
        2,
        {
          begin: home,
          async run(page, { press, write, take }) {
            await press(link(page, 'Tables'));
            await press(button(page, 'New table'));
            await write(page.getByRole('textbox', { name: 'Name of the table' }), `people_${own}`);
            await press(button(page, 'Add column'));
            await write(page.getByRole('textbox', { name: 'Name', exact: true }), 'name');
            await press(button(page, 'Add column'));
            const second = page.getByRole('group', { name: 'Column 2' });
            await write(second.getByRole('textbox', { name: 'Name' }), 'born');
            await take(second.getByRole('combobox', { name: 'Type' }), 'date');
            await press(button(page, 'Create table'));
            await page.getByRole('region', { name: `Table people_${own}` }).waitFor();
          },
          done: async () =>
            expect(
              await rowsOf(
                `select column_name, data_type from information_schema.columns where table_name = 'people_${own}' order by 1`,
              ),
            ).toEqual([
              { column_name: 'born', data_type: 'date' },
              { column_name: 'id', data_type: 'bigint' },
              { column_name: 'name', data_type: 'text' },
            ]),
        },
      ],
      [
        3,
        {
          begin: table,
          async run(page, { press, write }) {
            await press(button(page, 'New row'));
            const form = page.getByRole('alertdialog');
            await write(form.getByLabel(/^name /), 'Ada');
            await write(form.getByLabel(/^born /), '1815-12-10');
            await press(form.getByRole('button', { name: 'Insert', exact: true }));
            await page.getByRole('gridcell', { name: 'Ada', exact: true }).waitFor();
          },
        },
      ],
      [
        4,
        {
          begin: table,
          async run(page, { edit }) {
            await edit(page.getByRole('grid'), page.getByRole('gridcell', { name: 'Ada', exact: true }), 'Ada L.');
            await expect.poll(() => rowsOf(`select name from people_${own}`)).toEqual([{ name: 'Ada L.' }]);
          },
        },
      ],
      [
        5,
        {
          begin: table,
          async run(page, { press, choose, write }) {
            await press(button(page, 'Filter'));
            const form = page.getByRole('dialog', { name: 'Add a filter' });
            await choose(form.getByRole('button', { name: /Column$/ }), 'name');
            await write(form.getByRole('textbox', { name: 'Value' }), 'Grace');
            await press(form.getByRole('button', { name: 'Add filter' }));
            await page.getByText('No rows match').waitFor();
          },
        },
      ],
      [
        6,
        {
          begin: table,
          async run(page, { press, file }) {
            await press(button(page, 'More'));
            await press(item(page, 'Import CSV'));
            const dialog = page.getByRole('alertdialog');
            await file(dialog.locator('input[type=file]'), 'name,born\nGrace,1906-12-09\nAlan,1912-06-23\n');
            await press(dialog.getByRole('button', { name: 'Import 2 rows' }));
            await dialog.getByText('Done: 2 of 2 rows inserted.').waitFor();
          },
          done: async () => expect(await rowsOf(`select 1 as one from people_${own}`)).toHaveLength(3),
        },
      ],
      [
        7,
        {
          begin: home,
          async run(page, { press, write, key: shortcut }) {
            await press(link(page, 'SQL'));
            await write(page.getByRole('textbox', { name: 'SQL', exact: true }), `select count(*) from people_${own}`);
            await shortcut('ControlOrMeta+Enter');
            await page.getByRole('gridcell', { name: '3', exact: true }).waitFor();
            await press(button(page, 'Save'));
            await write(page.getByRole('textbox', { name: 'Name' }), `People ${own}`);
            await press(button(page, 'Save query'));
            await page.getByText(`Saved “People ${own}”`).waitFor();
          },
        },
      ],
      [
        8,
        {
          begin: home,
          async run(page, { press, write, toggle }) {
            await press(link(page, 'Users'));
            await press(button(page, 'Add user').first());
            const dialog = page.getByRole('alertdialog', { name: 'Add user' });
            await write(dialog.getByRole('textbox', { name: 'Address' }), `grace.${own}@example.com`);
            await toggle(dialog.getByRole('checkbox', { name: 'Invite by mail' }));
            await write(dialog.getByLabel('Password', { exact: true }), 'amazing grace 1906');
            await press(dialog.getByRole('button', { name: 'Add user' }));
            await page
              .getByRole('row')
              .filter({ hasText: `grace.${own}@example.com` })
              .waitFor();
          },
        },
      ],
      [
        9,
        {
          begin: `${home}/tables?table=diaries_${own}`,
          async run(page, { press }) {
            await press(button(page, 'More'));
            await press(item(page, 'Exposure'));
            await press(page.getByRole('alertdialog').getByRole('button', { name: 'Expose this table' }));
            await page.getByText(`diaries_${own} is exposed.`).waitFor();
          },
          done: async () =>
            expect(await rowsOf(`select 1 as one from pg_policies where tablename = 'diaries_${own}'`)).not.toEqual([]),
        },
      ],
      [
        10,
        {
          begin: home,
          async run(page, { press }) {
            await press(page.getByRole('button', { name: /^Copy REST address/ }));
            const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
            await expect.poll(copied).toMatch(/\/rest\/v1$/);
            await press(button(page, 'Get the keys'));
            await press(page.getByRole('button', { name: /^Copy anon key/ }));
            await expect.poll(copied).toMatch(/^eyJ/);
          },
        },
      ],
    ]);
  };

  test.each(['mouse', 'keyboard'] as const)(
    'are done by %s, in the documented steps',
    async (means) => {
      await world.run(
        `create table diaries_${means} (id bigint generated always as identity primary key, user_id uuid)`,
      );
      const documented = await documentedSteps();
      const { page, visit } = await world.asOwner({ permissions: ['clipboard-read', 'clipboard-write'] });
      const taken: Record<number, number> = {};
      for (const [number, { begin, run, done }] of tasksOf(means)) {
        await visit(begin);
        const steps = stepsBy(means, page);
        await run(page, steps);
        await done?.();
        taken[number] = steps.count();
      }
      expect(taken).toEqual(Object.fromEntries([...documented].map(([number, { own }]) => [number, own])));
      // Ten tasks, each on a page that is loaded anew.
    },
    300_000,
  );

  test('no task takes more steps than in Supabase Studio', async () => {
    const documented = [...(await documentedSteps()).values()];
    expect(documented).toHaveLength(10);
    expect(documented.filter(({ own, studio }) => own > studio)).toEqual([]);
  });
});
