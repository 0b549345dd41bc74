import type { GridChange } from '../../design/grid-types.ts';
import { idOf, session } from '../../session/session.ts';
import { createStore, type Store } from '../../store.ts';
import type { Column } from './columns.ts';
import type { TextRow } from './rows-api.ts';

/** A change that met another one. */
export interface CellConflict {
  readonly row: TextRow;
  readonly column: Column;
  readonly mine: string | null;
  readonly theirs: string | null;
}

/** Changes of one table's cells. They outlive the view of the table: another page does not stop them. */
export interface KeptChanges {
  readonly changes: Store<ReadonlyMap<string, GridChange>>;
  readonly conflict: Store<CellConflict | undefined>;
  /** Views of the table that are shown. Each is told of the values that a row has now. */
  readonly views: Set<(row: TextRow, values: TextRow) => void>;
  /** Whether the member has signed out. */
  isOver: boolean;
}

interface Owned extends KeptChanges {
  readonly member: string;
}

const tables = new Map<string, Owned>();

/** Whose pages are shown, or wait for them to sign in again; undefined for nobody. */
function memberNow(): string | undefined {
  const now = session.get();
  const entered = now.state === 'in' ? now : now.state === 'out' ? now.waiting : undefined;
  return entered === undefined ? undefined : idOf(entered.member);
}

// A member who has signed out leaves no values to the next one.
session.listen(() => {
  if (session.get().state === 'away') return;
  const member = memberNow();
  for (const [name, owned] of tables)
    if (owned.member !== member) {
      owned.isOver = true;
      tables.delete(name);
    }
});

export function keptChanges(project: string, table: string): KeptChanges {
  const name = `${project} ${table}`;
  const known = tables.get(name);
  if (known !== undefined) return known;
  const made: Owned = {
    changes: createStore<ReadonlyMap<string, GridChange>>(new Map()),
    conflict: createStore<CellConflict | undefined>(undefined),
    views: new Set(),
    isOver: false,
    member: memberNow() ?? '',
  };
  tables.set(name, made);
  return made;
}
