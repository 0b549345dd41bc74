import type { Order } from './order.ts';

interface DataTableProps<Row extends DataRow> {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The order of the rows and a function to change it; absent where the rows cannot be sorted. */
  readonly order?: Order;
  readonly setOrder?: (order: Order) => void;
  /** Opens a row for editing; absent where rows cannot be edited. */
  readonly change?: (row: Row) => void;
  /** Names a row for screen readers. */
  readonly nameOf?: (row: Row) => string;
}

type DataRow = Readonly<Record<string, unknown>>;

/** Formats a value for a cell. */
const spelt = (value: unknown) =>
  value === null || value === undefined ? '∅' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** A table of rows that scrolls sideways on a narrow screen. */
export function DataTable<Row extends DataRow>({
  label,
  columns,
  rows,
  order,
  setOrder,
  change,
  nameOf,
}: DataTableProps<Row>) {
  const sortOf = (column: string) =>
    order?.column !== column ? 'none' : order.falling ? ('descending' as const) : ('ascending' as const);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
    <section className="scrolls" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {change !== undefined && (
              <th scope="col">
                <span className="seen-by-readers">Change</span>
              </th>
            )}
            {columns.map((column) => (
              <th key={column} scope="col" aria-sort={setOrder === undefined ? undefined : sortOf(column)}>
                {setOrder === undefined ? (
                  column
                ) : (
                  <button
                    type="button"
                    className="plain slim"
                    onClick={() => setOrder({ column, falling: order?.column === column && !order.falling })}
                  >
                    {column}
                    {order?.column === column && <span aria-hidden="true">{order.falling ? '↓' : '↑'}</span>}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a table need not have a key, and its rows hold no state.
            <tr key={at}>
              {change !== undefined && (
                <td>
                  <button type="button" className="plain slim" onClick={() => change(row)}>
                    Edit <span className="seen-by-readers">{nameOf?.(row)}</span>
                  </button>
                </td>
              )}
              {columns.map((column) => (
                <td key={column}>
                  <div className="cell">{spelt(row[column])}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
