/** A cell of a grid, counted from 0 among all rows and columns. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Rows that are seen at once. */
  readonly page: number;
}

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/**
 * The cell that a key leads to; undefined for keys that do not move. As the pattern "grid" of the ARIA practices has it.
 */
export function placeAfter(
  { row, column }: Place,
  { rows, columns, page }: Extent,
  pressed: Pressed,
): Place | undefined {
  const far = pressed.ctrlKey || pressed.metaKey;
  const at = (nextRow: number, nextColumn: number): Place => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  });
  switch (pressed.key) {
    case 'ArrowUp':
      return at(far ? 0 : row - 1, column);
    case 'ArrowDown':
      return at(far ? rows - 1 : row + 1, column);
    case 'ArrowLeft':
      return at(row, far ? 0 : column - 1);
    case 'ArrowRight':
      return at(row, far ? columns - 1 : column + 1);
    case 'Home':
      return at(far ? 0 : row, 0);
    case 'End':
      return at(far ? rows - 1 : row, columns - 1);
    case 'PageUp':
      return at(row - page, column);
    case 'PageDown':
      return at(row + page, column);
    default:
      return undefined;
  }
}
