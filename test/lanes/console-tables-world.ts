import { expect } from 'vitest';
import type { OpenConsoleOptions } from '../helpers/console-page.ts';
import { startConsoleWorld } from './console-owner.ts';

/** A project whose tables the tests make, and its table editor. */
export async function startTablesWorld() {
  const world = await startConsoleWorld();
  const { service, projectId, key } = world;

  const run = async (sql: string) => {
    const path = `/projects/v1/admin/${projectId}/sql`;
    const answer = await service.call<{ readonly rows: readonly object[] }>(key, 'POST', path, { body: { sql } });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body.rows;
  };

  /** The page of a table, once it is there. @param search more of its address */
  async function openTable(table: string, more: Omit<OpenConsoleOptions, 'url'> = {}, search = '') {
    const opened = await world.asOwner(more);
    const { page } = opened;
    await opened.visit(`/projects/${projectId}/tables?${new URLSearchParams({ table })}${search}`);
    await page.getByRole('region', { name: `Table ${table}` }).waitFor();
    await page.getByRole('button', { name: 'New row' }).waitFor();
    const grid = page.getByRole('grid', { name: `Rows of ${table}` });
    return {
      ...opened,
      grid,
      press: (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click(),
      /** The cells of the last row in sight, without the checkbox and the first column. */
      cells: async () => (await grid.getByRole('row').last().getByRole('gridcell').allTextContents()).slice(2),
      /** Opens the form of a row, by its number in the grid. */
      async openRow(number: number) {
        await grid.getByRole('row').nth(number).hover();
        await grid.getByRole('button', { name: `Open row ${number}`, exact: true }).click();
        await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).waitFor();
      },
    };
  }
  return { world, run, openTable };
}
