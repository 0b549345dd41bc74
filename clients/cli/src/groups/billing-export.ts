import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { ids, perform } from '../operation-command.ts';
import { rows } from '../operations/billing.ts';
import { orgFlag, requireOrg } from '../resolve.ts';

/** In the order of the columns. */
const columns = [
  'id',
  'created_at',
  'direction',
  'kind',
  'amount_usd_micros',
  'balance_after_available',
  'balance_after_held',
  'reference_type',
  'reference_id',
  'metadata',
] as const;

/** Entries of one page: the most that the gateway gives. */
const pageSize = 200;

export const exportHistory: Command = {
  words: 'billing export',
  summary: 'The whole history of an organization’s balance as CSV, newest first.',
  positionals: [
    { name: 'org_id', optional: true, only: ids.org!.only, about: 'Organization; the one in use unless told.' },
  ],
  flags: [
    orgFlag,
    { name: 'output', type: 'string', placeholder: 'file', about: 'File to write; standard output unless told.' },
  ],
  examples: [['Into a file', 'billing export --output history.csv']],
  operations: ['billing.listHistory'],
  async run({ cli, positionals, flags }) {
    const org = await requireOrg(cli, { 'the argument': positionals.org_id, '--org': flags.text('org') });
    const output = flags.text('output');
    const file = output === undefined ? undefined : await open(resolve(cli.cwd, output), 'w');
    const write = async (text: string) => void (file === undefined ? cli.stdout.write(text) : await file.write(text));
    let count = 0;
    try {
      await write(lineOf(columns));
      let after: string | undefined;
      do {
        const page = await perform(cli, rows['billing.listHistory'], { org, limit: pageSize, after });
        const entries = page.entries as readonly Readonly<Record<string, unknown>>[];
        await write(entries.map((entry) => lineOf(columns.map((column) => entry[column]))).join(''));
        count += entries.length;
        after = (page.next_cursor as string | null) ?? undefined;
      } while (after !== undefined);
    } finally {
      await file?.close();
    }
    return output === undefined ? undefined : { org_id: org, output, entries: count };
  },
};

/** A line by RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
const lineOf = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
