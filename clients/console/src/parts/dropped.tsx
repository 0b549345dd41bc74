import { rowsKept } from '../graph/use-tail.ts';

/** Explains why older rows are hidden, next to the button that loads them again. */
export function Dropped() {
  return (
    <p className="quiet small">
      This page keeps the last {rowsKept.toLocaleString()}, so older ones made room for what came since.
    </p>
  );
}
