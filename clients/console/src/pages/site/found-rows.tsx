import type { ReactNode } from 'react';
import { count, counted } from '../../design/amounts.ts';
import { SearchField } from '../../design/field.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { useTypedSearch } from '../../use-typed-search.ts';

/** How many rows are shown at once: a search finds the others. */
const shownMost = 200;

interface FoundRowsProps<Row> {
  readonly label: string;
  /** What a row is, for example “file”. */
  readonly noun: string;
  readonly rows: readonly Row[];
  readonly textOf: (row: Row) => string;
  /** How many there are, if not all of them are at hand. */
  readonly total?: number;
  readonly children: (found: readonly Row[], isFiltered: boolean) => ReactNode;
}

/** Rows with a search over them, which the address holds. */
export function FoundRows<Row>({ label, noun, rows, textOf, total = rows.length, children }: FoundRowsProps<Row>) {
  const find = useTypedSearch('q');
  const found = rows.filter((row) => textOf(row).includes(find.applied));
  return (
    <div className="site-tab">
      <Toolbar
        label="Filter"
        end={
          <span className="quiet small" role="status">
            {find.applied === '' ? counted(total, noun) : `${count(found.length)} of ${counted(total, noun)}`}
            {found.length > shownMost && `, the first ${shownMost} are shown`}
          </span>
        }
      >
        <div className="site-find">
          <SearchField label={label} value={find.typed} onChange={find.type} />
        </div>
      </Toolbar>
      {children(found.slice(0, shownMost), find.applied !== '')}
    </div>
  );
}
