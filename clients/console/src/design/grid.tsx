// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the rows and columns that are not in sight.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid takes the keys of all its cells.
// biome-ignore-all lint/a11y/noStaticElementInteractions: a width is dragged by the pointer; the menu of a column sets it by key.
import {
  type ColumnDef,
  columnResizingFeature,
  columnSizingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, type LucideIcon } from 'lucide-react';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { type Place, placeAfter } from './grid-moves.ts';

export interface GridColumn<Row> {
  readonly id: string;
  readonly name: string;
  /** Says what the column holds, for example a type of PostgreSQL. */
  readonly icon?: LucideIcon;
  /** Numbers stand at the right. @default 'text' */
  readonly kind?: 'text' | 'number';
  /** In pixels; the user may change it. @default 180 */
  readonly width?: number;
  readonly valueOf: (row: Row) => string | null;
}

export interface GridOrder {
  readonly column: string;
  readonly descending: boolean;
}

interface GridProps<Row> {
  readonly label: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly rows: readonly Row[];
  /** Stays the same for a row, whatever changes in it. */
  readonly keyOf: (row: Row, at: number) => string;
  readonly order?: GridOrder;
  /** Absent where the rows cannot be sorted. */
  readonly setOrder?: (order: GridOrder) => void;
  /** Called by Enter and by a double click. */
  readonly open?: (row: Row, column: GridColumn<Row>) => void;
  /** All rows there are, when these are the first of them. @default how many are given */
  readonly rowCount?: number;
}

const features = tableFeatures({ columnSizingFeature, columnResizingFeature });
const rowHeight = 30;
/** A cell shows the beginning of a long value: laying a megabyte out would stop the page. */
const shownLength = 300;

/**
 * A table of any size. Only the rows and columns in sight are in the page, so 200 columns and a million rows scroll as ten
 * do. It takes one stop of the Tab key; arrow keys, Home, End and the page keys move in it.
 */
export function Grid<Row extends object>(props: GridProps<Row>) {
  const { label, columns, rows, keyOf, order, setOrder, open, rowCount = rows.length } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const definitions = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, Row, unknown> => {
        return { id: column.id, size: column.width ?? 180, minSize: 60, accessorFn: column.valueOf };
      }),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    columnResizeMode: 'onChange',
  });
  const sized = table.getFlatHeaders();
  const widths = sized.map((header) => header.getSize());
  const total = widths.reduce((sum, width) => sum + width, 0);

  const visibleRows = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const visibleColumns = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => frame.current,
    estimateSize: (at) => widths[at]!,
    overscan: 2,
  });
  // The virtualizer remembers sizes; a column that was made wider has to be laid out anew.
  const laidOut = useRef('');
  if (laidOut.current !== widths.join()) {
    laidOut.current = widths.join();
    visibleColumns.measure();
  }

  const cellId = ({ row, column }: Place) => `${id}-${row}-${column}`;
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' && rows[place.row] !== undefined) {
      event.preventDefault();
      open?.(rows[place.row]!, columns[place.column]!);
      return;
    }
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2);
    const next = placeAfter(place, { rows: rows.length, columns: columns.length, page }, event);
    if (next === undefined || rows.length === 0) return;
    event.preventDefault();
    setPlace(next);
    visibleRows.scrollToIndex(next.row);
    visibleColumns.scrollToIndex(next.column);
  };

  return (
    <div
      ref={frame}
      className="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={rowCount + 1}
      aria-colcount={columns.length}
      aria-activedescendant={rows.length > 0 ? cellId(place) : undefined}
      tabIndex={0}
      onKeyDown={press}
    >
      <div role="rowgroup" className="grid-head" style={{ minWidth: total }}>
        <div role="row" aria-rowindex={1}>
          {visibleColumns.getVirtualItems().map(({ index, start }) => {
            const column = columns[index]!;
            const header = sized[index]!;
            const Icon = column.icon;
            const sorted = order?.column === column.id;
            const Arrow = order?.descending === true ? ArrowDown : ArrowUp;
            return (
              <div
                key={column.id}
                role="columnheader"
                aria-colindex={index + 1}
                aria-sort={!sorted ? 'none' : order.descending ? 'descending' : 'ascending'}
                className="grid-column"
                style={{ left: start, width: widths[index] }}
                tabIndex={-1}
              >
                {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
                {setOrder === undefined ? (
                  column.name
                ) : (
                  <button
                    type="button"
                    onClick={() => setOrder({ column: column.id, descending: sorted && !order.descending })}
                  >
                    {column.name}
                    {sorted && <Arrow className="icon" aria-hidden="true" />}
                  </button>
                )}
                <span
                  className={header.column.getIsResizing() ? 'grid-resizer is-moving' : 'grid-resizer'}
                  onPointerDown={header.getResizeHandler()}
                  onDoubleClick={() => header.column.resetSize()}
                />
              </div>
            );
          })}
        </div>
      </div>
      <div role="rowgroup" className="grid-body" style={{ height: visibleRows.getTotalSize(), width: total }}>
        {visibleRows.getVirtualItems().map(({ index, start }) => (
          <div
            key={keyOf(rows[index]!, index)}
            role="row"
            aria-rowindex={index + 2}
            className="grid-row"
            style={{ transform: `translateY(${start}px)`, width: total, height: rowHeight }}
          >
            {visibleColumns.getVirtualItems().map((shown) => {
              const column = columns[shown.index]!;
              const here = { row: index, column: shown.index };
              const value = column.valueOf(rows[index]!);
              const active = here.row === place.row && here.column === place.column;
              return (
                <div
                  key={column.id}
                  id={cellId(here)}
                  role="gridcell"
                  aria-colindex={shown.index + 1}
                  className={`grid-cell${column.kind === 'number' ? ' number' : ''}${value === null ? ' null' : ''}${active ? ' active' : ''}`}
                  style={{ left: shown.start, width: widths[shown.index] }}
                  onClick={() => setPlace(here)}
                  onDoubleClick={() => open?.(rows[index]!, column)}
                >
                  <span>{value === null ? 'NULL' : value.slice(0, shownLength)}</span>
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}
