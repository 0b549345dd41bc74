import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { isConnectionLoss } from '../../db/connection-loss.ts';
import type { SavedDatabase, SavedTable } from './archive.ts';
import { readSequence } from './catalog.ts';
import { copyIn, measureRows } from './copy-rows.ts';
import { quotedTable } from './names.ts';
import type { PartReader } from './parts.ts';

/** A restored table or sequence does not hold what was saved. */
export class DifferentRowsError extends Error {
  override readonly name = 'DifferentRowsError';
}

/** A sequence cannot be set to where it stood. */
export class SequenceError extends Error {
  override readonly name = 'SequenceError';
}

type Contents = Pick<SavedDatabase, 'tables' | 'sequences'>;

/** Copies saved rows into tables that are there and empty. */
export async function loadRows(
  client: pg.Client,
  tables: readonly SavedTable[],
  store: PartReader,
  onBytes: (bytes: number) => void,
): Promise<void> {
  for (const table of tables) await copyIn(client, table, store, onBytes);
}

/** Sets sequences to where they stood. */
export async function loadSequences(client: pg.Client, sequences: SavedDatabase['sequences']): Promise<void> {
  for (const { value, called, ...name } of sequences)
    await client
      .query('select pg_catalog.setval($1::pg_catalog.regclass, $2, $3)', [quotedTable(name), value, called])
      .catch((error: Error) => {
        if (isConnectionLoss(error)) throw error;
        throw new SequenceError(`The sequence ${quotedTable(name)} cannot be set: ${error.message}.`, { cause: error });
      });
}

const contentsOf = ({ parts }: SavedTable) => parts.map(({ content }) => content);

/** Reads everything again and compares it with what was saved. @throws DifferentRowsError */
export async function verifyContents(client: pg.Client, { tables, sequences }: Contents): Promise<void> {
  for (const table of tables) {
    const { rows, contents } = await measureRows(client, table);
    if (rows !== table.rows)
      throw new DifferentRowsError(`The table ${quotedTable(table)} has ${rows} rows, and ${table.rows} were saved.`);
    if (!isDeepStrictEqual(contents, contentsOf(table)))
      throw new DifferentRowsError(`The table ${quotedTable(table)} has other rows than were saved.`);
  }
  for (const sequence of sequences) {
    const { value, called } = await readSequence(client, sequence);
    if (value !== sequence.value || called !== sequence.called)
      throw new DifferentRowsError(`The sequence ${quotedTable(sequence)} is not where it was saved.`);
  }
}

/**
 * Fills materialized views, those first that others are made of.
 *
 * @param before done before each, in its transaction
 * @returns those that could not be filled, and why
 */
export async function fillViews(
  client: pg.Client,
  views: SavedDatabase['filled'],
  before: (client: pg.Client) => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  let left = [...views];
  for (;;) {
    const failed: { view: (typeof left)[number]; reason: string }[] = [];
    for (const view of left) {
      await before(client);
      await client.query('savepoint fill');
      try {
        await client.query(`refresh materialized view ${quotedTable(view)}`);
        await client.query('release savepoint fill');
      } catch (error) {
        await client.query('rollback to savepoint fill');
        failed.push({ view, reason: (error as Error).message });
      }
    }
    if (failed.length === 0 || failed.length === left.length)
      return failed.map(({ view, reason }) => `${quotedTable(view)}: ${reason}`);
    left = failed.map(({ view }) => view);
  }
}
