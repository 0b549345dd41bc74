// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the columns that are not in sight.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell.
// biome-ignore-all lint/a11y/noStaticElementInteractions: a width is dragged by the pointer; the menu of a column sets it by key.
import { ArrowDown, ArrowUp, Check, ChevronDown, Minus } from 'lucide-react';
import { type GridColumn, type GridOrder, selectId } from './grid-types.ts';
import type { GridLayout } from './use-grid-layout.ts';

interface GridHeadProps<Row> {
  readonly columns: readonly GridColumn<Row>[];
  readonly layout: GridLayout;
  readonly order: GridOrder | undefined;
  readonly setOrder: ((order: GridOrder) => void) | undefined;
  readonly selected: { readonly all: boolean; readonly some: boolean; readonly toggleAll: () => void };
  /** Opens the menu of a column below its button. */
  readonly openMenu: (column: GridColumn<Row>, button: HTMLElement) => void;
}

/** The names of the columns in sight. Keys reach their menus from the grid. */
export function GridHead<Row>({ columns, layout, order, setOrder, selected, openMenu }: GridHeadProps<Row>) {
  const { headers, widths, pinnedCount, total, visibleColumns } = layout;
  return (
    <div role="rowgroup" className="grid-head" style={{ minWidth: total }}>
      <div role="row" aria-rowindex={1} className="grid-head-row">
        {visibleColumns.getVirtualItems().map(({ index, start }) => {
          const column = columns[index]!;
          const isPinned = index < pinnedCount;
          const place = { left: start, width: widths[index] };
          if (column.id === selectId)
            return (
              <div
                key={column.id}
                role="columnheader"
                aria-colindex={index + 1}
                className="grid-column select pinned"
                style={place}
                tabIndex={-1}
              >
                <button type="button" tabIndex={-1} aria-label="Select all loaded rows" onClick={selected.toggleAll}>
                  <Tick all={selected.all} some={selected.some} />
                </button>
              </div>
            );
          const header = headers[index]!;
          const sorted = order?.column === column.id;
          const Arrow = order?.descending === true ? ArrowDown : ArrowUp;
          const Icon = column.icon;
          return (
            <div
              key={column.id}
              role="columnheader"
              aria-colindex={index + 1}
              aria-sort={!sorted ? 'none' : order.descending ? 'descending' : 'ascending'}
              className={`grid-column${isPinned ? ' pinned' : ''}${column.kind === 'number' ? ' number' : ''}`}
              style={place}
              title={column.about === undefined ? column.name : `${column.name}: ${column.about}`}
              tabIndex={-1}
            >
              {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
              {setOrder === undefined ? (
                <span className="grid-column-name">{column.name}</span>
              ) : (
                <button
                  type="button"
                  tabIndex={-1}
                  className="grid-column-name"
                  onClick={() => setOrder({ column: column.id, descending: sorted && !order.descending })}
                >
                  {column.name}
                </button>
              )}
              {sorted && <Arrow className="icon" aria-hidden="true" />}
              <button
                type="button"
                tabIndex={-1}
                className="grid-column-menu"
                aria-label={`Menu of ${column.name}`}
                aria-haspopup="menu"
                data-menu-of={column.id}
                onClick={(event) => openMenu(column, event.currentTarget)}
              >
                <ChevronDown className="icon" aria-hidden="true" />
              </button>
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
  );
}

/** A box that is ticked, half ticked or empty. */
export const Tick = ({ all, some = all }: { readonly all: boolean; readonly some?: boolean }) => (
  <span className={some ? 'grid-tick on' : 'grid-tick'} aria-hidden="true">
    {all ? <Check className="icon" /> : some && <Minus className="icon" />}
  </span>
);
