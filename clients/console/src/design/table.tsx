import type { ReactNode } from 'react';
import { Link } from '../router.tsx';

export interface TableColumn<Row> {
  readonly id: string;
  readonly name: string;
  /** For columns of buttons: screen readers alone get the name. @default false */
  readonly isNameHidden?: boolean;
  /** Numbers and buttons stand at the right. @default 'start' */
  readonly align?: 'start' | 'end';
  /** Takes what width is left; its text wraps. Other columns stay on one line. @default false */
  readonly grows?: boolean;
  /** Takes its share of the width that is left; its text wraps. @default false */
  readonly wraps?: boolean;
  /** Left out on narrow screens, for the sake of the others. @default false */
  readonly isExtra?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The page that a press on the row leads to. The first column holds the link; its text names the row. */
  readonly linkOf?: (row: Row) => string;
  /** In place of a table without rows: a `State`. */
  readonly empty: ReactNode;
}

/** A list of up to some hundred rows. It scrolls sideways where it has no room. Use `Grid` for more rows. */
export function Table<Row>({ label, columns, rows, keyOf, linkOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty;
  const classOf = ({ align, grows, wraps, isExtra }: TableColumn<Row>) =>
    [align === 'end' && 'end', grows === true && 'grows-wide', wraps === true && 'wraps', isExtra === true && 'extra']
      .filter(Boolean)
      .join(' ') || undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset takes no part in scrolling.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
    <div className="table-frame" role="group" tabIndex={0} aria-label={label}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.isNameHidden === true ? <span className="seen-by-readers">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, at) => (
                <td key={column.id} className={classOf(column)}>
                  {at === 0 && linkOf !== undefined ? (
                    <Link to={linkOf(row)} className="table-link">
                      {column.cell(row)}
                    </Link>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
