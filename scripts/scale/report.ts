import { projectsPerOrg } from './fill.ts';
import type { Step } from './step.ts';

const mebibyte = 1_048_576;
const short = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const whole = (value: number) => Math.round(value).toLocaleString('en-US');
const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
const head = (first: string, ...rest: readonly string[]) => row(first, ...rest) + row('---', ...rest.map(() => '---:'));

/** The simulation's numbers as tables for docs/scale.md. */
export function reportOf(steps: readonly Step[]): string {
  const names = steps.map(({ size }) => whole(size.organizations));
  const first = steps[0]!;
  const last = steps.at(-1)!;
  const ratio = (pick: (step: Step) => number) => short(pick(last) / pick(first));
  let text = `\nOrganizations: ${names.join(', ')}; projects: ${steps.map(({ size }) => whole(size.organizations * projectsPerOrg)).join(', ')}\n\n`;

  text += head(
    'request',
    ...names.map((name) => `pages at ${name}`),
    'ratio',
    'ms in Postgres',
    'ratio',
    'ms for the caller',
    'ratio',
  );
  for (const [index, { name, statements }] of first.costs.entries()) {
    const each = (pick: (cost: Step['costs'][number]) => number) => (step: Step) => pick(step.costs[index]!);
    const buffers = each((cost) => cost.buffers);
    const databaseMs = each((cost) => cost.databaseMs);
    const requestMs = each((cost) => cost.requestMs);
    text += row(
      `${name} (${statements})`,
      ...steps.map((step) => whole(buffers(step))),
      ratio(buffers),
      steps.map((step) => short(databaseMs(step))).join(' · '),
      ratio(databaseMs),
      steps.map((step) => short(requestMs(step))).join(' · '),
      ratio(requestMs),
    );
  }
  for (const [index, { name }] of first.backstops.entries()) {
    const buffers = (step: Step) => step.backstops[index]!.buffers;
    const databaseMs = (step: Step) => step.backstops[index]!.databaseMs;
    const ms = steps.map((step) => short(databaseMs(step))).join(' · ');
    text += row(name, ...steps.map((step) => whole(buffers(step))), ratio(buffers), ms, ratio(databaseMs), '', '');
  }

  text += `\n${head('table', ...names.map((name) => `rows at ${name}`), 'heap, MiB', 'indexes, MiB', 'bytes a row')}`;
  for (const { table, rows, heapBytes, indexes } of last.tables.filter((one) => one.rows > 0)) {
    const indexBytes = indexes.reduce((sum, { bytes }) => sum + bytes, 0);
    const rowsAt = steps.map((step) => whole(step.tables.find((one) => one.table === table)?.rows ?? 0));
    text += row(
      table,
      ...rowsAt,
      whole(heapBytes / mebibyte),
      `${whole(indexBytes / mebibyte)} (${indexes.length})`,
      whole((heapBytes + indexBytes) / rows),
    );
  }
  text += `\n${head('index', ...names.map((name) => `MiB at ${name}`))}`;
  const sizeOf = (step: Step, index: string) =>
    step.tables.flatMap(({ indexes }) => indexes).find(({ name }) => name === index)?.bytes ?? 0;
  const indexes = last.tables.flatMap((one) => one.indexes).sort((left, right) => right.bytes - left.bytes);
  for (const { name } of indexes.slice(0, 20)) {
    text += row(name, ...steps.map((step) => short(sizeOf(step, name) / mebibyte)));
  }
  const total = steps.map(({ databaseBytes }) => `${whole(databaseBytes / mebibyte)} MiB`).join(', ');
  const worst = Math.max(...last.costs.map((cost) => cost.rowsRead));
  const held = last.connections.map(({ name, count }) => `${name} ${count}`).join(', ');
  text += `\nConnections of one node under load: ${held}. An empty project database: ${short(last.emptyProjectBytes / mebibyte)} MiB.\n`;
  return `${text}\nControl database: ${total}. Most rows read for one answer at the last size: ${whole(worst)}.\n`;
}
