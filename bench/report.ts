import type { RowName } from './options.ts';
import { median, medianRatio, type Race, type Round } from './race.ts';

/** What is asked of a number: the ratio where there is one, else the gateway's own value. */
export interface Target {
  readonly sign: '>=' | '<=' | '<';
  readonly value: number;
}

/** One line of the table. */
export interface Line {
  readonly row: RowName;
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly reference?: number;
  readonly ratio?: number;
  readonly target?: Target;
  readonly met?: boolean;
  /** Measurements behind the medians, for whoever reads the JSON. */
  readonly rounds?: unknown;
}

export const atLeast = (value: number): Target => ({ sign: '>=', value });
export const atMost = (value: number): Target => ({ sign: '<=', value });
export const below = (value: number): Target => ({ sign: '<', value });

function meets(value: number, { sign, value: wanted }: Target): boolean {
  return sign === '>=' ? value >= wanted : sign === '<=' ? value <= wanted : value < wanted;
}

export function line(given: Omit<Line, 'met'>): Line {
  const { target, ratio, ours } = given;
  return target === undefined ? given : { ...given, met: meets(ratio ?? ours, target) };
}

/** Lines that compare two contenders of a race by throughput, and by processor time of the servers. */
export function compare<Name extends string>(
  row: RowName,
  race: Race<Name>,
  { name, ours, reference, target }: { name: string; ours: Name; reference: Name; target?: Target },
): Line[] {
  const of = (which: Name, what: keyof Round) => race[which].map((round) => round[what]);
  const both = (what: keyof Round) => ({
    ours: median(of(ours, what)),
    reference: median(of(reference, what)),
    ratio: medianRatio(of(ours, what), of(reference, what)),
  });
  const rounds = { ours: race[ours], reference: race[reference] };
  return [
    line({ row, name, unit: '/s', ...both('perSecond'), ...(target && { target }), rounds }),
    line({ row, name: '  CPU of the server', unit: 'µs', ...both('cpu') }),
    line({ row, name: '  CPU of Postgres', unit: 'µs', ...both('databaseCpu') }),
  ];
}

const shown = (value: number | undefined, unit = '') =>
  value === undefined || Number.isNaN(value)
    ? ''
    : `${value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2)} ${unit}`.trim();

/** The table, as Markdown, so that it can be kept as it is. */
export function table(lines: readonly Line[]): string {
  const header = ['', 'ours', 'reference', 'ratio', 'target', 'met'];
  const cells = lines.map(({ name, unit, ours, reference, ratio, target, met }) => [
    name,
    shown(ours, unit),
    shown(reference, unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    target === undefined ? '' : `${target.sign} ${target.value}`,
    met === undefined ? '' : met ? 'yes' : '**no**',
  ]);
  const widths = header.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]!.length)));
  const print = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return `${[print(header), rule, ...cells.map(print)].join('\n')}\n`;
}
