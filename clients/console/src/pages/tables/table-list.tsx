import { Table2, TableProperties } from 'lucide-react';
import { useState } from 'react';
import { SearchField, Select } from '../../design/field.tsx';
import { Link } from '../../router.tsx';
import type { Table } from './columns.ts';

interface TableListProps {
  readonly tables: readonly Table[];
  readonly chosen: string | undefined;
  readonly addressOf: (table: string) => string;
  readonly choose: (table: string) => void;
  /** Names of the tables that the manifest shows. */
  readonly exposed: ReadonlySet<string>;
}

/** The tables of a project, beside their rows; on a narrow screen a choice above them. */
export function TableList({ tables, chosen, addressOf, choose, exposed }: TableListProps) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = tables.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      <div className="table-choice">
        <Select
          label="Table"
          options={tables.map(({ name }) => ({ id: name, name, icon: Table2 }))}
          value={chosen ?? null}
          onChange={choose}
        />
      </div>
      <nav className="table-list" aria-label="Tables">
        <SearchField label="Search tables" value={search} onChange={setSearch} />
        <ul>
          {found.map(({ name, rowEstimate }) => (
            <li key={name}>
              <Link
                to={addressOf(name)}
                title={name}
                aria-current={name === chosen ? 'page' : undefined}
                className="table-list-link"
              >
                {exposed.has(name) ? (
                  <TableProperties className="icon" aria-hidden="true" />
                ) : (
                  <Table2 className="icon" aria-hidden="true" />
                )}
                <span>{name}</span>
                {rowEstimate !== null && rowEstimate > 0 && (
                  <span className="table-list-count" aria-hidden="true">
                    {short.format(rowEstimate)}
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="quiet small">No table has this name.</p>}
      </nav>
    </>
  );
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
