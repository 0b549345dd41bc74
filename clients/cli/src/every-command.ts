import type { Command } from './command.ts';
import { ids, operationCommand, type Shape, take } from './operation-command.ts';
import type { OperationSpec } from './operation-spec.ts';

/**
 * The commands of a group: first the hand-written ones, then one for each operation that none of them calls. The
 * latter take path parameters as positionals, and every other input as a flag.
 *
 * @param shape what the latter share, for example the credential of the group
 */
export function everyCommand(
  rows: Readonly<Record<string, OperationSpec>>,
  written: readonly Command[],
  shape: Pick<Shape, 'credential'> = {},
): readonly Command[] {
  const run = new Set(written.flatMap(({ operations = [] }) => operations));
  const left = Object.values(rows).filter(({ operation }) => !run.has(operation));
  return [...written, ...left.map((row) => plainCommand(row, shape))];
}

/** Inputs that default to the settings when the call does not name them. */
const sought = ['org', 'room', 'project', ...Object.keys(ids)];

function plainCommand(row: OperationSpec, shape: Pick<Shape, 'credential'>): Command {
  const inputs = Object.entries(row.inputs).filter(([name]) => !sought.includes(name));
  const inPath = inputs.filter(([, { at }]) => at === 'path');
  const flags = inputs.filter(([, { at, required }]) => at !== 'path' && required === true);
  const example = [
    row.command,
    ...inPath.map(([, { as, choices }]) => choices?.[0] ?? as.toUpperCase()),
    ...flags.map(([, { as, type, choices, min }]) => {
      const value = choices?.[0] ?? samples[type] ?? String(min ?? 1);
      return `--${as.replaceAll('_', '-')}${type === 'boolean' ? '' : ` ${value}`}`;
    }),
  ];
  return operationCommand(row.command, row, {
    ...shape,
    takes: inPath.map(([name, { as }]) => take(name, { name: as })),
    examples: [[row.summary.replace(/\.$/, ''), example.join(' ')]],
  });
}

/** A sample value for an input without choices. Numbers start at their minimum. */
const samples: Readonly<Partial<Record<string, string>>> = { string: 'TEXT', list: 'ONE,OTHER', json: "'{}'" };
