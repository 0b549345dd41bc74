import { useEffect, useEffectEvent, useMemo } from 'react';
import type { GridChange } from '../../design/grid-types.ts';
import { announceFailure } from '../../design/toast.tsx';
import type { Envelope } from '../../graph/envelope.ts';
import { holdPage } from '../../hold-page.ts';
import { useStore } from '../../store.ts';
import type { Column } from './columns.ts';
import { keptChanges } from './kept-changes.ts';
import { isBeginning } from './page-address.ts';
import { type RowsApi, type TextRow, updateRow, wholeRow } from './rows-api.ts';

/** The pause before a change without an answer is sent again, in milliseconds. */
const retryMs = 1_500;

interface Options {
  readonly project: string;
  readonly api: RowsApi;
  readonly table: string;
  readonly keyOf: (row: TextRow) => TextRow;
  /** Called with the values that the row has now. */
  readonly saved: (row: TextRow, values: TextRow) => void;
}

/**
 * Changes of cells on their way to the gateway. While it does not answer, a change stays and is sent again: it names the
 * value that it replaces, so it takes effect once. It goes on while another table or page is shown.
 */
export function useCellChanges({ project, api, table, keyOf, saved }: Options) {
  const kept = useMemo(() => keptChanges(project, table), [project, table]);
  const changes = useStore(kept.changes);
  const conflict = useStore(kept.conflict);
  const onSaved = useEffectEvent(saved);
  useEffect(() => {
    const view = (row: TextRow, values: TextRow) => onSaved(row, values);
    kept.views.add(view);
    return () => {
      kept.views.delete(view);
    };
  }, [kept]);

  const tell = (row: TextRow, values: TextRow) => {
    for (const view of kept.views) view(row, values);
  };
  const nameOf = (row: TextRow, column: string) => JSON.stringify([keyOf(row), column]);
  const set = (name: string, change: GridChange | undefined) => {
    const next = new Map(kept.changes.get());
    if (change === undefined) next.delete(name);
    else next.set(name, change);
    kept.changes.set(next);
  };
  const fail = (name: string, value: string | null, message: string, isShown = kept.views.size > 0) => {
    set(name, { state: 'failed', value, message });
    if (!isShown) announceFailure(`A change in ${table} is not saved`, `${message} It was: ${value ?? 'NULL'}`);
  };

  /** @param seen the value that the change replaces; undefined: the one that the row was shown with */
  const commit = async (row: TextRow, column: Column, value: string | null, seen?: string | null) => {
    const name = nameOf(row, column.name);
    set(name, { state: 'pending', value });
    const release = holdPage();
    let replaced = seen === undefined ? (row[column.name] ?? null) : seen;
    let isWhole = seen !== undefined || !isBeginning(replaced, column);
    try {
      while (!kept.isOver) {
        try {
          const key = keyOf(row);
          if (!isWhole) {
            replaced = (await wholeRow(api, table, key, [column]))?.[column.name] ?? null;
            isWhole = true;
          }
          const found = await updateRow(api, table, key, { [column.name]: replaced }, new Map([[column, value]]));
          if (found === undefined) {
            tell(row, { [column.name]: value });
            return set(name, undefined);
          }
          if (found.now === undefined) return fail(name, value, 'The row no longer exists.', false);
          const theirs = found.now[column.name] ?? null;
          fail(name, value, 'Another change came first. Enter shows both.');
          return kept.conflict.set({ row, column, mine: value, theirs });
        } catch (error) {
          const { code, message } = error as Envelope;
          if (code !== 'NO_ANSWER') return fail(name, value, `${message} (${code})`);
          await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
      }
    } finally {
      release();
    }
  };

  return {
    changeOf: (row: TextRow, column: string) => changes.get(nameOf(row, column)),
    takeBack: (row: TextRow, column: string) => set(nameOf(row, column), undefined),
    commit,
    conflict,
    /** Ends the conflict: with the user's value, or with the other one. */
    decide(isMine: boolean) {
      if (conflict === undefined) return;
      const { row, column, mine, theirs } = conflict;
      kept.conflict.set(undefined);
      if (isMine) void commit(row, column, mine, theirs);
      else {
        set(nameOf(row, column.name), undefined);
        tell(row, { [column.name]: theirs });
      }
    },
    /** Changes that have not arrived. */
    pending: [...changes.values()].filter(({ state }) => state === 'pending').length,
  };
}
