import { useState } from 'react';
import type { EditNext } from './grid-editor.tsx';
import type { Place } from './grid-moves.ts';
import type { GridChange, GridColumn, GridEdit, GridProps } from './grid-types.ts';

interface Edited<Row> {
  /** The row as it was when the editing began. Rows that come or go above it change its place, and not its key. */
  readonly row: Row;
  readonly key: string;
  /** The number of the row, for its name. */
  readonly number: number;
  /** The value that was shown. */
  readonly value: string | null;
  readonly hasFailed: boolean;
  readonly column: string;
  readonly name: string;
  readonly edit: GridEdit;
  readonly isLong: boolean;
  readonly typed: string | undefined;
  readonly cell: HTMLElement | null;
  readonly load: () => Promise<string | null>;
}

/** A text that one line cannot show. */
const isLongText = (value: string | null): boolean =>
  value !== null && (value.length > lineLength || value.includes('\n'));

/** The longest text that is edited in the cell itself, in UTF-16 units. */
const lineLength = 50;

/**
 * Which cell of a grid is edited, and what its cells show.
 *
 * @param activeCell the element of the active cell
 * @param settle gives the focus back to the grid, at a cell or where it was
 */
export function useGridEditing<Row extends object>(
  { rows, keyOf, columns, editing: given }: GridProps<Row>,
  place: Place,
  activeCell: () => HTMLElement | null,
  settle: (next: Place | undefined) => void,
) {
  const [editing, setEditing] = useState<Edited<Row>>();

  const cellOf = (at: number, column: GridColumn<Row>): { value: string | null; change: GridChange | undefined } => {
    const change = given?.changeOf(rows[at]!, column);
    return { value: change === undefined ? column.valueOf(rows[at]!) : change.value, change };
  };

  /** @returns whether the cell can be edited */
  const begin = (at: number, column: GridColumn<Row>, typed: string | undefined): boolean => {
    const row = rows[at];
    if (given === undefined || column.edit === undefined || row === undefined) return false;
    const { value, change } = cellOf(at, column);
    // A value on its way has to arrive before it can be changed again.
    if (change?.state === 'pending') return true;
    const { kind } = column.edit;
    const isLong = kind === 'long' || kind === 'json' || (kind === 'text' && typed === undefined && isLongText(value));
    setEditing({
      row,
      key: keyOf(row, at),
      number: at + 1,
      value,
      hasFailed: change?.state === 'failed',
      column: column.id,
      name: column.name,
      edit: column.edit,
      isLong,
      typed: isLong ? undefined : typed,
      cell: activeCell(),
      load: async () => (change !== undefined || given.whole === undefined ? value : given.whole(row, column)),
    });
    return true;
  };

  const leave = () => {
    setEditing(undefined);
    settle(undefined);
  };

  /**
   * Commits a value to the row that is edited, wherever it is now.
   *
   * @returns false when the row is gone; a text of an editor over the grid then stays open
   */
  const end = (value: string | null, next: EditNext): boolean => {
    const column = columns.find(({ id }) => id === editing?.column);
    if (editing === undefined || column === undefined) return true;
    if (editing.isLong && !rows.some((row, at) => keyOf(row, at) === editing.key)) return false;
    setEditing(undefined);
    // The value that was shown goes along, so that another change of the cell meanwhile is found.
    if (editing.value !== value || editing.hasFailed) given?.commit(editing.row, column, value);
    if (next === 'elsewhere') return true;
    settle(
      next === 'below'
        ? { row: place.row + 1, column: place.column }
        : next === 'beside'
          ? { row: place.row, column: place.column + 1 }
          : undefined,
    );
    return true;
  };

  return { editing, cellOf, begin, end, leave };
}
