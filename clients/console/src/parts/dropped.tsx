import { rowsKept } from '../graph/use-tail.ts';

/** Says why what was shown is shown no more, beside the button that reads it again. */
export function Dropped() {
  return (
    <p className="quiet small">
      This page keeps the last {rowsKept.toLocaleString()}, so older ones made room for what came since.
    </p>
  );
}
