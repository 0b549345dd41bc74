import {
  type ColumnDef,
  columnResizingFeature,
  columnSizingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useMemo } from 'react';
import type { Place } from './grid-moves.ts';
import { type GridColumn, rowHeight } from './grid-types.ts';

const features = tableFeatures({ columnSizingFeature, columnResizingFeature });
/** The library sizes columns; it needs no rows for that. */
const none: object[] = [];
const least = 60;
/** How much a key makes a column wider or narrower, in pixels. */
const keyStep = 40;

/** Where the rows and columns in sight are, and how wide each column is. */
export function useGridLayout<Row>(
  frame: RefObject<HTMLDivElement | null>,
  columns: readonly GridColumn<Row>[],
  rows: readonly Row[],
  load: ((range: { readonly from: number; readonly to: number }) => void) | undefined,
  /** A cell that stays in the page, although it is out of sight. */
  kept: RefObject<Place | undefined>,
) {
  const definitions = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, object, unknown> => {
        return { id: column.id, size: column.width ?? 180, minSize: Math.min(least, column.width ?? least) };
      }),
    [columns],
  );
  const table = useTable({ features, columns: definitions, data: none, columnResizeMode: 'onChange' });
  const headers = table.getFlatHeaders();
  const widths = headers.map((header) => header.getSize());
  const pinned = columns.findIndex(({ isPinned = false }) => !isPinned);
  const pinnedCount = pinned === -1 ? 0 : pinned;

  const visibleRows = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    rangeExtractor: (range) => withKept(defaultRangeExtractor(range), kept.current?.row, rows.length),
  });
  const visibleColumns = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => frame.current,
    estimateSize: (at) => widths[at]!,
    overscan: 2,
    scrollPaddingStart: widths.slice(0, pinnedCount).reduce((sum, width) => sum + width, 0),
    rangeExtractor: (range) => {
      const sight = withKept(defaultRangeExtractor(range), kept.current?.column, columns.length);
      const shown = sight.filter((at) => at >= pinnedCount);
      return [...Array.from({ length: pinnedCount }, (_one, at) => at), ...shown];
    },
  });
  // The virtualizer remembers sizes; a column that was made wider has to be laid out anew.
  const laidOut = widths.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the widths are what it measures.
  useLayoutEffect(() => visibleColumns.measure(), [laidOut]);

  const items = visibleRows.getVirtualItems().filter(({ index }) => index !== kept.current?.row);
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const onSight = useEffectEvent(() => load?.({ from, to }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: called anew when other rows come in sight, or more are there.
  useEffect(() => onSight(), [from, to, rows.length]);

  return {
    headers,
    widths,
    pinnedCount,
    total: widths.reduce((sum, width) => sum + width, 0),
    visibleRows,
    visibleColumns,
    /** Makes a column wider or narrower by a step. */
    widen(id: string, by: 1 | -1) {
      const size = table.getColumn(id)?.getSize();
      if (size === undefined) return;
      table.setColumnSizing((sizes) => ({ ...sizes, [id]: Math.max(least, size + by * keyStep) }));
    },
  };
}

/** The indices in sight, and another one in its order. */
const withKept = (shown: number[], kept: number | undefined, count: number): number[] =>
  kept === undefined || kept >= count || shown.includes(kept)
    ? shown
    : [...shown, kept].sort((one, other) => one - other);

export type GridLayout = ReturnType<typeof useGridLayout>;
