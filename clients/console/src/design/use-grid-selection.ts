import { useRef } from 'react';
import type { GridSelection } from './grid-types.ts';

/** Chooses rows: one, or all from the last one that was chosen. */
export function useGridSelection<Row>(
  selection: GridSelection | undefined,
  rows: readonly Row[],
  keyOf: (row: Row, at: number) => string,
) {
  const anchor = useRef(0);
  const keyAt = (at: number) => keyOf(rows[at]!, at);
  return {
    isSelected: (at: number) => selection?.keys.has(keyAt(at)) ?? false,
    /** @param extend chooses the rows from the last one to this, too */
    toggle(at: number, extend: boolean) {
      if (selection === undefined || rows[at] === undefined) return;
      const keys = new Set(selection.keys);
      const turnOn = !keys.has(keyAt(at));
      const [from, to] = extend ? [Math.min(anchor.current, at), Math.max(anchor.current, at)] : [at, at];
      for (let one = from; one <= Math.min(to, rows.length - 1); one++) {
        if (turnOn || extend) keys.add(keyAt(one));
        else keys.delete(keyAt(one));
      }
      anchor.current = at;
      selection.set(keys);
    },
    all: selection !== undefined && rows.length > 0 && rows.every((row, at) => selection.keys.has(keyOf(row, at))),
    some: (selection?.keys.size ?? 0) > 0,
    toggleAll() {
      if (selection === undefined) return;
      const isAll = rows.every((row, at) => selection.keys.has(keyOf(row, at)));
      selection.set(new Set(isAll ? [] : rows.map((row, at) => keyOf(row, at))));
    },
  };
}
