import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseCall } from '../../clients/cli/src/arguments.ts';
import type { Command } from '../../clients/cli/src/command.ts';
import { everyCommand } from '../../clients/cli/src/every-command.ts';
import type { OperationSpec } from '../../clients/cli/src/operation-spec.ts';

const folder = new URL('../../clients/cli/src/operations/', import.meta.url);
const files = await Promise.all(
  (await readdir(folder)).map(
    async (name) => ((await import(new URL(name, folder).href)) as { rows: Record<string, OperationSpec> }).rows,
  ),
);
const rows = files.flatMap((one) => Object.values(one));
const plain = files.flatMap((one) => everyCommand(one, []));
const of = ({ operation }: OperationSpec) => plain.find(({ operations }) => operations?.includes(operation) === true)!;

test('an operation without a written command has a plain one of the declared words', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(plain.map(({ words }) => words)).toEqual(rows.map(({ command }) => command));
});

test.each(rows)('$command, as a plain command, takes every input and shows an example that it takes', (row) => {
  const command = of(row);
  const taken = [...(command.flags ?? []), ...(command.positionals ?? [])].map(({ name }) => name);
  for (const [input, { as }] of Object.entries(row.inputs)) {
    const names = [as.replaceAll('_', '-'), as, input, input.replace(/_id$/, '')];
    expect([input, taken.some((name) => names.includes(name))]).toEqual([input, true]);
  }
  const [[, example]] = command.examples as [readonly [string, string]];
  const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b!);
  expect(words.slice(0, row.command.split(' ').length).join(' ')).toBe(row.command);
  expect(() => parseCall(command, words.slice(row.command.split(' ').length))).not.toThrow();
  expect(command.summary).toBe(row.summary);
});

test('a written command is kept, and no plain one is beside it', () => {
  const [first] = Object.values(files[0]!);
  const written: Command = { ...of(first!), summary: 'Written.' };
  const all = everyCommand(files[0]!, [written]);
  expect(all).toHaveLength(Object.keys(files[0]!).length);
  expect(all.filter(({ words }) => words === written.words)).toEqual([written]);
});
