// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the rows and columns that are not in sight.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell.
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { GridCell, SelectCell } from './grid-cell.tsx';
import { CellEditor, LongEditor } from './grid-editor.tsx';
import { GridHead } from './grid-head.tsx';
import { copyText, GridMenu, type OpenMenu } from './grid-menu.tsx';
import { type Place, placeAfter } from './grid-moves.ts';
import { type GridColumn, type GridProps, rowHeight, selectId } from './grid-types.ts';
import { useGridAnchor } from './use-grid-anchor.ts';
import { useGridEditing } from './use-grid-editing.ts';
import { useGridLayout } from './use-grid-layout.ts';
import { useGridSelection } from './use-grid-selection.ts';

const selectColumn: GridColumn<object> = {
  id: selectId,
  name: 'Selected',
  width: 56,
  isPinned: true,
  valueOf: () => '',
};

/**
 * A table of any size. Only the rows and columns in sight are in the page, so 200 columns and a million rows scroll as ten
 * do. It takes one stop of the Tab key; arrow keys, Home, End and the page keys move in it.
 */
export function Grid<Row extends object>(props: GridProps<Row>) {
  const { label, rows, keyOf, order, setOrder, open, rowCount = rows.length, selection, isNew } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const [chosen, setPlace] = useState<Place>({ row: 0, column: 0 });
  const [menu, setMenu] = useState<OpenMenu<Row>>();
  const selects = selection !== undefined;
  const columns = useMemo(
    () => (selects ? [selectColumn as GridColumn<Row>, ...props.columns] : props.columns),
    [selects, props.columns],
  );
  // After a filter or a deletion the row may be beyond the last one.
  const place = within(chosen, rows.length, columns.length);
  const editedAt = useRef<Place>(undefined);
  const layout = useGridLayout(frame, columns, rows, props.load, editedAt);
  const { widths, pinnedCount, total, visibleRows, visibleColumns } = layout;
  const selected = useGridSelection(selection, rows, keyOf);

  useGridAnchor(frame, rows, keyOf, (by) => setPlace(({ row, column }) => ({ row: Math.max(0, row + by), column })));

  const cellId = ({ row, column }: Place) => `${id}-${row}-${column}`;
  const move = (to: Place) => {
    const next = within(to, rows.length, columns.length);
    setPlace(next);
    visibleRows.scrollToIndex(next.row);
    visibleColumns.scrollToIndex(next.column);
  };
  const activeCell = () => document.getElementById(cellId(place));
  const { cellOf, begin, editing, end, leave } = useGridEditing(props, place, activeCell, (next) => {
    if (next !== undefined) move(next);
    frame.current?.focus({ preventScroll: true });
  });

  // The editor stays in the page while its cell is scrolled out of sight.
  const editedRow = editing === undefined ? -1 : rows.findIndex((row, at) => keyOf(row, at) === editing.key);
  const editedColumn = columns.findIndex((column) => column.id === editing?.column);
  editedAt.current = editedRow === -1 || editedColumn === -1 ? undefined : { row: editedRow, column: editedColumn };

  const openAt = (at: number, column: GridColumn<Row>) => rows[at] !== undefined && open?.(rows[at], column);
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget || rows.length === 0) return;
    const { row, column } = place;
    const active = columns[column];
    const there = rows[row];
    if (active === undefined || there === undefined) return;
    const isMod = event.ctrlKey || event.metaKey;
    const done = () => event.preventDefault();
    if (event.key === 'ArrowDown' && event.altKey) {
      const button = frame.current!.querySelector<HTMLElement>(`[data-menu-of="${CSS.escape(active.id)}"]`);
      if (button !== null) setMenu({ column: active, button });
      return done();
    }
    if (event.key === ' ' && selects) {
      selected.toggle(row, event.shiftKey);
      return done();
    }
    if (event.key === 'Enter' || event.key === 'F2') {
      if (isMod && active.follow !== undefined && active.valueOf(there) !== null) active.follow.act(there);
      else if (event.shiftKey || !begin(row, active, undefined)) openAt(row, active);
      return done();
    }
    if (isMod && event.key === 'c' && getSelection()?.isCollapsed !== false) {
      void copyText(cellOf(row, active).value ?? '', 'The value');
      return done();
    }
    if (event.key === 'Escape' && cellOf(row, active).change?.state === 'failed') {
      props.editing?.takeBack(there, active);
      return done();
    }
    if (event.key === 'Delete' && active.edit?.nullable === true) {
      props.editing?.commit(there, active, null);
      return done();
    }
    if (event.key.length === 1 && !isMod && !event.altKey && begin(row, active, event.key)) return done();
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2);
    const next = placeAfter(place, { rows: rows.length, columns: columns.length, page }, event);
    if (next === undefined) return;
    done();
    move(next);
  };

  return (
    <>
      <div
        ref={frame}
        className="grid"
        role="grid"
        aria-label={label}
        aria-rowcount={rowCount + 1}
        aria-colcount={columns.length}
        aria-multiselectable={selects || undefined}
        aria-activedescendant={rows.length > 0 ? cellId(place) : undefined}
        aria-describedby={`${id}-keys`}
        tabIndex={0}
        onKeyDown={press}
      >
        <GridHead
          columns={columns}
          layout={layout}
          order={order}
          setOrder={setOrder}
          selected={selected}
          openMenu={(column, button) => setMenu({ column, button })}
        />
        <div role="rowgroup" className="grid-body" style={{ height: visibleRows.getTotalSize(), width: total }}>
          {visibleRows.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]!;
            const isFresh = isNew?.(row) ?? false;
            return (
              <div
                key={keyOf(row, index)}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={selects ? selected.isSelected(index) : undefined}
                className={isFresh ? 'grid-row is-new' : 'grid-row'}
                style={{ transform: `translateY(${start}px)`, width: total, height: rowHeight }}
              >
                {visibleColumns.getVirtualItems().map((shown) => {
                  const column = columns[shown.index]!;
                  const here = { row: index, column: shown.index };
                  const shared = {
                    id: cellId(here),
                    at: shown.index,
                    place: { left: shown.start, width: widths[shown.index]! },
                    isActive: here.row === place.row && here.column === place.column,
                  };
                  if (column.id === selectId)
                    return (
                      <SelectCell
                        key={column.id}
                        {...shared}
                        isSelected={selected.isSelected(index)}
                        isNew={isFresh}
                        number={index + 1}
                        toggle={(extend) => {
                          setPlace(here);
                          selected.toggle(index, extend);
                        }}
                        open={open === undefined ? undefined : () => openAt(index, column)}
                      />
                    );
                  const { value, change } = cellOf(index, column);
                  const isEdited = editing?.key === keyOf(row, index) && editing.column === column.id;
                  return (
                    <GridCell
                      key={column.id}
                      {...shared}
                      row={row}
                      column={column}
                      isPinned={shown.index < pinnedCount}
                      change={change}
                      press={() => !isEdited && setPlace(here)}
                      open={() => !isEdited && !begin(index, column, undefined) && openAt(index, column)}
                    >
                      {isEdited && !editing.isLong && (
                        <CellEditor
                          label={`${column.name} of row ${index + 1}`}
                          edit={column.edit!}
                          value={value}
                          typed={editing.typed}
                          commit={(typed, next) => void end(typed, next)}
                          cancel={leave}
                        />
                      )}
                    </GridCell>
                  );
                })}
              </div>
            );
          })}
        </div>
      </div>
      <span id={`${id}-keys`} hidden>
        Arrow keys move. Enter edits or opens. Alt and the down arrow open the menu of the column.
        {selects && ' Space selects the row. Shift and Enter open it.'}
      </span>
      <GridMenu
        open={menu}
        close={() => {
          setMenu(undefined);
          frame.current?.focus({ preventScroll: true });
        }}
        setOrder={setOrder}
        hide={props.hide}
        columnMenu={props.columnMenu}
        widen={layout.widen}
      />
      {editing?.isLong === true && editing.cell !== null && (
        <LongEditor
          key={`${editing.key} ${editing.column}`}
          label={`${editing.name} of row ${editing.number}`}
          edit={editing.edit}
          cell={editing.cell}
          load={editing.load}
          commit={(value) => end(value, 'here')}
          cancel={leave}
        />
      )}
    </>
  );
}

const within = ({ row, column }: Place, rows: number, columns: number): Place => ({
  row: Math.max(0, Math.min(rows - 1, row)),
  column: Math.max(0, Math.min(columns - 1, column)),
});
