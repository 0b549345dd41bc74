import { Calendar, Hash, KeyRound, Type } from 'lucide-react';
import { useMemo, useState } from 'react';
import { bytes } from '../../design/amounts.ts';
import { Chart } from '../../design/chart.tsx';
import { Grid } from '../../design/grid.tsx';
import type { GridColumn, GridOrder } from '../../design/grid-types.ts';
import { announce } from '../../design/toast.tsx';
import { EditableGrid } from './grid-samples.tsx';
import { Samples } from './samples.tsx';

type Row = readonly (string | null)[];
const columnCount = 200;
const rowCount = 100_000;
const longName = `${'A name of two hundred characters '.repeat(7)}`.slice(0, 200);

const columns: readonly GridColumn<Row>[] = Array.from({ length: columnCount }, (_column, at) => ({
  id: `c${at}`,
  name: at === 0 ? 'id' : at === 1 ? 'name' : at === 2 ? 'amount' : at === 3 ? 'created_at' : `column_${at}`,
  icon: [KeyRound, Type, Hash, Calendar][at] ?? Type,
  kind: at === 0 || at === 2 ? 'number' : 'text',
  width: at === 0 ? 80 : at === 1 ? 240 : 150,
  valueOf: (row) => row[at] ?? null,
}));

const names = ['Ada', 'Grace', 'שרה כהן', 'محمد', longName, '山田太郎'];

/** Rows are made when they are looked at: a hundred thousand of 200 columns would fill the memory of a phone. */
const rowAt = (at: number): Row => [
  String(at + 1),
  names[at % names.length]!,
  at % 7 === 0 ? null : ((at * 7919) % 100_000).toLocaleString('en'),
  new Date(1_760_000_000_000 + at * 60_000).toISOString(),
  ...Array.from({ length: columnCount - 4 }, (_value, column) => `${at}·${column + 4}`),
];

const lazily = (count: number, descending: boolean): readonly Row[] =>
  new Proxy([] as Row[], {
    get(target, property, receiver) {
      if (property === 'length') return count;
      if (typeof property === 'string' && /^\d+$/.test(property))
        return rowAt(descending ? count - 1 - Number(property) : Number(property));
      return Reflect.get(target, property, receiver);
    },
  });

const moments = Array.from({ length: 48 }, (_moment, at) => 1_760_000_000 + at * 3_600);
const wave = (height: number, shift: number) =>
  moments.map((_moment, at) => Math.round(height * (1.2 + Math.sin((at + shift) / 4) + (at % 5) / 10)));

export function DataSamples() {
  const [order, setOrder] = useState<GridOrder>({ column: 'c0', descending: false });
  const rows = useMemo(() => lazily(rowCount, order.descending), [order.descending]);
  return (
    <>
      <Samples title="Table of 100,000 rows and 200 columns">
        <Grid
          label="Orders"
          columns={columns}
          rows={rows}
          keyOf={(row) => row[0]!}
          order={order}
          setOrder={setOrder}
          open={(row) => announce(`Row ${row[0]} was opened.`)}
        />
      </Samples>
      <Samples title="Table whose cells are edited">
        <EditableGrid />
      </Samples>
      <Samples title="Table without rows">
        <Grid label="No orders" columns={columns.slice(0, 4)} rows={[]} keyOf={() => ''} />
      </Samples>
      <Samples title="Charts">
        <Chart
          title="Requests"
          times={moments}
          series={[
            { name: 'REST', values: wave(900, 0) },
            { name: 'GraphQL', values: wave(400, 6) },
            { name: 'Live', values: wave(200, 11) },
            { name: 'Errors', values: wave(40, 3) },
          ]}
        />
        <Chart title="Failures" kind="bars" times={moments} series={[{ name: 'Failures', values: wave(12, 2) }]} />
        <Chart
          title="Latency"
          times={moments}
          format={(value) => `${value} ms`}
          steps="any"
          series={[{ name: 'p99', values: wave(20, 5).map((value, at) => (at > 20 && at < 26 ? null : value)) }]}
        />
        <Chart
          title="Storage"
          times={moments}
          format={bytes}
          steps="binary"
          series={[{ name: 'Database', values: moments.map((_moment, at) => (at === 30 ? 9_300_000 : null)) }]}
        />
        <Chart
          title="Traffic"
          emptyTitle="No traffic yet"
          times={moments}
          series={[{ name: 'Requests', values: [] }]}
        />
      </Samples>
    </>
  );
}
