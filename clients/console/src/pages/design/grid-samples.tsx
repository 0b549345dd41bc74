import { Braces, CircleDot, Hash, ToggleLeft, Type } from 'lucide-react';
import { useState } from 'react';
import { Grid } from '../../design/grid.tsx';
import type { GridChange, GridColumn, GridOrder } from '../../design/grid-types.ts';
import { announce } from '../../design/toast.tsx';

type Row = Readonly<Record<string, string | null>>;

const columnsOf = (follow: (row: Row) => void): readonly GridColumn<Row>[] => [
  { id: 'id', name: 'id', icon: Hash, kind: 'number', width: 80, isPinned: true, valueOf: ({ id = null }) => id },
  {
    id: 'title',
    name: 'title',
    icon: Type,
    width: 220,
    valueOf: ({ title = null }) => title,
    edit: { kind: 'text', nullable: false },
  },
  {
    id: 'price',
    name: 'price',
    icon: Hash,
    kind: 'number',
    width: 120,
    valueOf: ({ price = null }) => price,
    edit: { kind: 'number', nullable: true },
  },
  {
    id: 'mood',
    name: 'mood',
    icon: CircleDot,
    width: 120,
    valueOf: ({ mood = null }) => mood,
    edit: { kind: 'choice', options: ['glad', 'calm', 'blue'], nullable: true },
  },
  {
    id: 'done',
    name: 'done',
    icon: ToggleLeft,
    width: 100,
    valueOf: ({ done = null }) => done,
    edit: { kind: 'boolean', nullable: false },
  },
  {
    id: 'extra',
    name: 'extra',
    icon: Braces,
    width: 200,
    valueOf: ({ extra = null }) => extra,
    edit: { kind: 'json', nullable: true },
  },
  {
    id: 'author',
    name: 'author',
    icon: Hash,
    kind: 'number',
    width: 120,
    valueOf: ({ author = null }) => author,
    follow: { label: 'Open author', act: follow },
  },
];

const columns = columnsOf((row) => announce(`Author ${row.author} was opened.`));

const first: readonly Row[] = Array.from({ length: 12 }, (_row, at) => ({
  id: String(at + 1),
  title: at === 3 ? 'A title of two hundred characters '.repeat(6) : `Title ${at + 1}`,
  price: at % 4 === 2 ? null : `${at + 1}2345678901234567890.25`,
  mood: ['glad', 'calm', 'blue'][at % 3]!,
  done: at % 2 === 0 ? 'true' : 'false',
  extra: `{"serial": ${at}}`,
  author: at % 5 === 4 ? null : String(at * 7),
}));

/** A grid whose made-up gateway refuses the word “refused” and never answers to “pending”. */
export function EditableGrid() {
  const [rows, setRows] = useState(first);
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set(['2']));
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [order, setOrder] = useState<GridOrder>({ column: 'id', descending: false });
  const [changes, setChanges] = useState<ReadonlyMap<string, GridChange>>(
    new Map([
      ['4 price', { state: 'failed', value: 'many', message: 'This is no number.' }],
      ['5 price', { state: 'pending', value: '7' }],
    ]),
  );
  const nameOf = (row: Row, column: GridColumn<Row>) => `${row.id} ${column.id}`;
  return (
    <Grid
      label="Editable"
      columns={columns.filter(({ id }) => !hidden.includes(id))}
      rows={rows}
      keyOf={(row) => row.id!}
      order={order}
      setOrder={setOrder}
      open={(row) => announce(`Row ${row.id} was opened.`)}
      selection={{ keys, set: setKeys }}
      isNew={(row) => row.id === '1'}
      hide={({ id }) => setHidden([...hidden, id])}
      editing={{
        changeOf: (row, column) => changes.get(nameOf(row, column)),
        takeBack: (row, column) => setChanges(new Map([...changes].filter(([name]) => name !== nameOf(row, column)))),
        commit: (row, column, value) => {
          if (value === 'refused' || value === 'pending') {
            const change: GridChange =
              value === 'pending'
                ? { state: 'pending', value }
                : { state: 'failed', value, message: 'It was refused.' };
            setChanges(new Map(changes).set(nameOf(row, column), change));
            return;
          }
          setRows(rows.map((one) => (one.id === row.id ? { ...one, [column.id]: value } : one)));
          setChanges(new Map([...changes].filter(([name]) => name !== nameOf(row, column))));
        },
      }}
    />
  );
}
