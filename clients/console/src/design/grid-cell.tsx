// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the cells that are not in sight.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid takes the keys of all its cells.
import { ArrowUpRight, Maximize2, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Tick } from './grid-head.tsx';
import type { GridChange, GridColumn } from './grid-types.ts';

/** A cell shows the beginning of a long value: laying a megabyte out would stop the page. */
const shownLength = 300;

interface GridCellProps<Row> {
  readonly id: string;
  readonly at: number;
  readonly row: Row;
  readonly column: GridColumn<Row>;
  readonly place: { readonly left: number; readonly width: number };
  readonly isPinned: boolean;
  readonly isActive: boolean;
  readonly change: GridChange | undefined;
  readonly press: () => void;
  readonly open: () => void;
  /** The editor, while the cell is edited. */
  readonly children: ReactNode;
}

/** A cell with its value, or with the editor of it. */
export function GridCell<Row>(props: GridCellProps<Row>) {
  const { id, at, row, column, place, isPinned, isActive, change, press, open, children } = props;
  const value = change === undefined ? column.valueOf(row) : change.value;
  const kinds = [
    'grid-cell',
    column.kind === 'number' && 'number',
    value === null && 'null',
    isActive && 'active',
    isPinned && 'pinned',
    change?.state,
  ];
  return (
    <div
      id={id}
      role="gridcell"
      aria-colindex={at + 1}
      aria-invalid={change?.state === 'failed' || undefined}
      aria-readonly={column.edit === undefined || undefined}
      className={kinds.filter(Boolean).join(' ')}
      style={place}
      title={change?.message}
      onClick={press}
      onDoubleClick={open}
    >
      {change?.state === 'failed' && <TriangleAlert className="icon bad" aria-label={`Not saved: ${change.message}`} />}
      {change?.state === 'pending' && <span className="spinner" role="img" aria-label="Being saved" />}
      {/* By its own direction, the end of a long value is where the dots are. */}
      <span dir="auto">{value === null ? 'NULL' : value.slice(0, shownLength)}</span>
      {column.follow !== undefined && value !== null && (
        <button
          type="button"
          tabIndex={-1}
          className="grid-follow"
          aria-label={`${column.follow.label} ${value.slice(0, shownLength)}`}
          onClick={(event) => {
            event.stopPropagation();
            column.follow!.act(row);
          }}
        >
          <ArrowUpRight className="icon" aria-hidden="true" />
        </button>
      )}
      {children}
    </div>
  );
}

interface SelectCellProps {
  readonly id: string;
  readonly at: number;
  readonly place: { readonly left: number; readonly width: number };
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isNew: boolean;
  /** The number of the row, from 1. */
  readonly number: number;
  readonly toggle: (extend: boolean) => void;
  readonly open: (() => void) | undefined;
}

/** The checkbox of a row, and the button that opens the whole row. */
export function SelectCell(props: SelectCellProps) {
  const { id, at, place, isActive, isSelected, isNew, number, toggle, open } = props;
  return (
    <div
      id={id}
      role="gridcell"
      aria-colindex={at + 1}
      aria-label={`Row ${number}${isSelected ? ', selected' : ''}${isNew ? ', new' : ''}`}
      className={`grid-cell select pinned${isActive ? ' active' : ''}${isNew ? ' is-new' : ''}`}
      style={place}
      onClick={({ shiftKey }) => toggle(shiftKey)}
    >
      <Tick all={isSelected} />
      {open !== undefined && (
        <button
          type="button"
          tabIndex={-1}
          className="grid-open"
          aria-label={`Open row ${number}`}
          onClick={(event) => {
            event.stopPropagation();
            open();
          }}
        >
          <Maximize2 className="icon" aria-hidden="true" />
        </button>
      )}
    </div>
  );
}
