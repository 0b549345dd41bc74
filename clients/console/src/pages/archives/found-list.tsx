import { Badge, enumName, type Mood } from '../../design/badge.tsx';
import { Table } from '../../design/table.tsx';
import type { Found } from './archive-types.ts';

const moods: Readonly<Record<string, Mood>> = { blocking: 'bad', warning: 'warn', info: 'plain' };

interface FoundListProps {
  readonly label: string;
  readonly found: readonly Found[];
}

/** What was found about an archive: the gravest first. */
export function FoundList({ label, found }: FoundListProps) {
  const order = ['blocking', 'warning', 'info'];
  const rows = found
    .map((one, at) => ({ ...one, at }))
    .sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || a.at - b.at);
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={({ at }) => String(at)}
      columns={[
        {
          id: 'severity',
          name: 'Weight',
          cell: ({ severity }) => <Badge mood={moods[severity] ?? 'plain'}>{enumName(severity)}</Badge>,
        },
        {
          id: 'message',
          name: 'What was found',
          grows: true,
          cell: ({ message, code, path }) => (
            <span>
              {message} <code className="small">{path ?? code}</code>
            </span>
          ),
        },
      ]}
      empty={<p className="quiet small">Nothing was found.</p>}
    />
  );
}
