import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { announceFailure } from '../../design/toast.tsx';
import { envelopeOf } from '../../graph/envelope.ts';
import { sendChange, tookPlace } from '../../graph/send-change.ts';
import { holdPage } from '../../hold-page.ts';
import { batchesOf, type FileRow, type Mapping } from './csv-rows.ts';
import { insertSql } from './schema-sql.ts';
import { RunTableSqlDocument } from './tables.graphql.ts';

/** A row that PostgreSQL refused. */
export interface RefusedRow {
  readonly row: FileRow;
  readonly why: string;
}

export interface ImportState {
  readonly sent: number;
  readonly inserted: number;
  readonly refused: readonly RefusedRow[];
  /** Why the import stopped before its end. */
  readonly stopped?: string;
  /** Rows of a batch that the gateway did not answer to before the import was stopped: they may be in. */
  readonly unknown?: readonly FileRow[];
  readonly isOver: boolean;
}

/** The pause before a batch without an answer is sent again, in milliseconds. */
const retryMs = 1_500;

/**
 * Inserts rows in batches. Each batch has an idempotency key of its rows: one that is sent again after a lost answer
 * is inserted once. A refused batch is halved until the refused rows are found; the others go in.
 */
export function useImport(project: string, table: string) {
  const client = useClient();
  const [state, setState] = useState<ImportState>();
  const over = useRef(false);
  const [isStopping, setStopping] = useState(false);
  const left = useRef(false);
  const running = useRef(false);
  useEffect(() => {
    over.current = false;
    left.current = false;
    return () => {
      over.current = true;
      left.current = true;
    };
  }, []);

  const start = async (rows: readonly FileRow[], mapping: Mapping, emptyIsNull: boolean) => {
    if (running.current) return;
    running.current = true;
    const release = holdPage();
    const taken = mapping.flatMap((name, at) => (name === null ? [] : [{ name, at }]));
    const id = crypto.randomUUID();
    const names = taken.map(({ name }) => name);
    let [sent, inserted] = [0, 0];
    const refused: RefusedRow[] = [];
    const show = (more: Partial<ImportState> = {}) =>
      setState({ sent, inserted, refused: [...refused], isOver: false, ...more });

    let unknown: readonly FileRow[] = [];
    /** @returns why PostgreSQL refused the rows; undefined when they are in */
    const send = async (batch: readonly FileRow[]): Promise<string | undefined> => {
      const values = batch.map(({ cells }) =>
        taken.map(({ at }) => (emptyIsNull && cells[at] === '' ? null : cells[at]!)),
      );
      const input = {
        project,
        sql: insertSql(table, names, values),
        idempotencyKey: `${id}-${batch[0]!.line}-${batch.length}`,
      };
      for (;;) {
        if (over.current) throw new Error('you stopped it.');
        const answer = await sendChange(client, RunTableSqlDocument, { input });
        if (tookPlace(answer)) {
          unknown = [];
          return undefined;
        }
        const { code, message, details } = envelopeOf(answer.error);
        if (code === 'SQL_ERROR') unknown = [];
        if (code === 'SQL_ERROR') return [message, details.detail].filter((one) => typeof one === 'string').join(' ');
        if (code !== 'NO_ANSWER' && code !== 'RATE_LIMITED') throw new Error(`${message} (${code})`);
        if (code === 'NO_ANSWER') unknown = batch;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    };
    const insert = async (batch: readonly FileRow[]): Promise<void> => {
      const why = await send(batch);
      if (why === undefined) {
        inserted += batch.length;
        sent += batch.length;
      } else if (batch.length === 1) {
        refused.push({ row: batch[0]!, why });
        sent += 1;
      } else {
        const half = Math.ceil(batch.length / 2);
        await insert(batch.slice(0, half));
        await insert(batch.slice(half));
        return;
      }
      show();
    };
    show();
    try {
      for (const batch of batchesOf(rows)) await insert(batch);
      show({ isOver: true });
    } catch (error) {
      if (left.current)
        announceFailure(`The import into ${table} was stopped`, `${inserted.toLocaleString('en')} rows are inserted.`);
      else show({ isOver: true, stopped: (error as Error).message, unknown });
    } finally {
      release();
      running.current = false;
    }
  };

  return {
    state,
    start,
    isStopping,
    /** Stops behind the batch that is on its way. */
    stop: () => {
      over.current = true;
      setStopping(true);
    },
  };
}
