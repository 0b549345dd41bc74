import type { LucideIcon } from 'lucide-react';
import type { MenuGroup } from './menu-entries.tsx';

/** How a cell is edited. Every value is text: a number would be rounded. */
export interface GridEdit {
  /** `long` and `json` open an editor over the grid. */
  readonly kind: 'text' | 'number' | 'date' | 'boolean' | 'choice' | 'long' | 'json';
  /** The values of a `choice`. */
  readonly options?: readonly string[];
  /** Whether NULL is a value. */
  readonly nullable: boolean;
}

export interface GridColumn<Row> {
  readonly id: string;
  readonly name: string;
  /** Says what the column holds, for example a type of PostgreSQL. */
  readonly icon?: LucideIcon;
  /** Shown with the name, for example the type. */
  readonly about?: string;
  /** Numbers stand at the right. @default 'text' */
  readonly kind?: 'text' | 'number';
  /** In pixels; the user may change it. @default 180 */
  readonly width?: number;
  /** Stays in sight at the left. Only the first columns can. @default false */
  readonly isPinned?: boolean;
  readonly valueOf: (row: Row) => string | null;
  /** Absent where the cells cannot be edited. */
  readonly edit?: GridEdit;
  /** Follows the value to what it refers to. A cell without a value has no such button. */
  readonly follow?: { readonly label: string; readonly act: (row: Row) => void };
}

export interface GridOrder {
  readonly column: string;
  readonly descending: boolean;
}

/** How a change of a cell fares, until the row itself has the value. */
export interface GridChange {
  readonly state: 'pending' | 'failed';
  /** The value as it was typed. */
  readonly value: string | null;
  /** Why it failed. */
  readonly message?: string;
}

/** Rows that are chosen, by key. */
export interface GridSelection {
  readonly keys: ReadonlySet<string>;
  readonly set: (keys: ReadonlySet<string>) => void;
}

export interface GridEditing<Row> {
  /** Called once when the user commits a value that differs. */
  readonly commit: (row: Row, column: GridColumn<Row>, value: string | null) => void;
  readonly changeOf: (row: Row, column: GridColumn<Row>) => GridChange | undefined;
  /** Forgets a change that failed. */
  readonly takeBack: (row: Row, column: GridColumn<Row>) => void;
  /** Loads the whole of a value whose beginning is shown. @default the shown value is the whole */
  readonly whole?: (row: Row, column: GridColumn<Row>) => Promise<string | null>;
}

export interface GridProps<Row> {
  readonly label: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly rows: readonly Row[];
  /** Stays the same for a row, whatever changes in it. */
  readonly keyOf: (row: Row, at: number) => string;
  readonly order?: GridOrder;
  /** Absent where the rows cannot be sorted. */
  readonly setOrder?: (order: GridOrder) => void;
  /** Called by Enter and by a double click where the cell is not edited, and by Shift+Enter everywhere. */
  readonly open?: (row: Row, column: GridColumn<Row>) => void;
  /** All rows there are, or an estimate, when these are the first of them. @default how many are given */
  readonly rowCount?: number;
  /** Called with the rows in sight, counted from 0, so that more can be loaded before the end comes in sight. */
  readonly load?: (range: { readonly from: number; readonly to: number }) => void;
  /** Adds a column of checkboxes. */
  readonly selection?: GridSelection;
  readonly editing?: GridEditing<Row>;
  /** Rows that came since the grid was shown. */
  readonly isNew?: (row: Row) => boolean;
  /** Adds 'Hide column' to the menu of a column. */
  readonly hide?: (column: GridColumn<Row>) => void;
  /** More entries of the menu of a column. */
  readonly columnMenu?: (column: GridColumn<Row>) => readonly MenuGroup[];
}

/** The column of checkboxes, before all others. */
export const selectId = ' select';

export const rowHeight = 30;
