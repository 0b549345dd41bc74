import { type RefObject, useLayoutEffect, useRef } from 'react';
import { rowHeight } from './grid-types.ts';

/**
 * Keeps the rows in sight where they are when rows come or go above them.
 *
 * @param moved called with how far the rows went down, in rows, so that the active cell goes along
 */
export function useGridAnchor<Row>(
  frame: RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  keyOf: (row: Row, at: number) => string,
  moved: (by: number) => void,
): void {
  const before = useRef(rows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when other rows are given.
  useLayoutEffect(() => {
    const known = before.current;
    before.current = rows;
    const { current } = frame;
    const at = Math.floor((current?.scrollTop ?? 0) / rowHeight);
    const top = known[at];
    if (current === null || known === rows || top === undefined) return;
    const key = keyOf(top, at);
    if (rows[at] !== undefined && keyOf(rows[at], at) === key) return;
    const [from, to] = [Math.max(0, at - nearby), Math.min(rows.length, at + nearby)];
    for (let now = from; now < to; now++)
      if (keyOf(rows[now]!, now) === key) {
        // At the very top, the rows that come first are to be seen.
        if (at > 0) current.scrollTop += (now - at) * rowHeight;
        moved(now - at);
        return;
      }
  }, [rows]);
}

/** How far the row at the top is looked for: a new one more than so many rows is rare. */
const nearby = 200;
