import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const rowNames = [
  'memory',
  'live-idle',
  'small',
  'deep',
  'list',
  'executors',
  'send',
  'append',
  'row',
  'rest-row',
  'feed-read',
  'bulk',
  'large',
  'live-write',
  'live-latency',
  'rebuild',
  'provision',
  'static-file',
  'deploy',
  'flip',
  'fan-out',
  'latency',
  'saturated',
  'site-audit',
  'challenge',
  'paid-request',
  'start',
  'backup',
  'upload',
] as const;

/** Those that run only when they are named, or all are. */
const longRows: readonly string[] = ['executors', 'saturated', 'backup', 'upload'];

export type RowName = (typeof rowNames)[number];

export interface Options {
  readonly rows: readonly RowName[];
  readonly rounds: number;
  /** Length of one round of one contender, in seconds. */
  readonly seconds: number;
  readonly json: boolean;
  /** Folder for a processor profile of the gateway. */
  readonly profile: string | undefined;
  readonly sizes: Sizes;
}

export interface Sizes {
  readonly organizations: number;
  /** Spread evenly over the organizations. */
  readonly projects: number;
  /** Spread evenly over the projects' rooms, of which each project has one. */
  readonly messages: number;
  /** Rows of the project that is backed up. */
  readonly backupMegabytes: number;
  /** Length of the object that is uploaded, in MiB. Its copies take four times that on the disk. */
  readonly uploadMegabytes: number;
}

const usage = `npm run bench -- [options]

  --only a,b      rows to run, of: ${rowNames.join(', ')}
                  (executors, saturated, 5,000 sockets, backup and upload run only when they are named or with --full)
  --rounds n      rounds of each measurement; the median counts (default 3)
  --seconds n     length of one round (default 2)
  --full          200,000 messages instead of 20,000, and the rows saturated, backup and upload
  --organizations n, --projects n, --messages n, --backup-megabytes n, --upload-megabytes n
  --json          prints JSON instead of a table
  --profile dir   profiles the gateway into that folder; read it with node bench/profile.ts <file>
`;

/** Reads the command line. @throws with a sentence for people */
export function readOptions(args: readonly string[]): Options | { readonly help: string } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      full: { type: 'boolean', default: false },
      organizations: { type: 'string', default: '50' },
      projects: { type: 'string', default: '500' },
      messages: { type: 'string' },
      'backup-megabytes': { type: 'string', default: '800' },
      'upload-megabytes': { type: 'string', default: '5120' },
      json: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { help: usage };
  const number = (name: string, given?: string): number => {
    const value = Number(given);
    if (Number.isInteger(value) && value > 0) return value;
    throw new Error(`--${name} must be a whole number above zero.`);
  };
  const named = values.only?.split(',');
  const unknown = named?.find((name) => !(rowNames as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`--only knows no row ${unknown}; there are ${rowNames.join(', ')}.`);
  return {
    rows:
      named === undefined ? rowNames.filter((name) => values.full || !longRows.includes(name)) : (named as RowName[]),
    rounds: number('rounds', values.rounds),
    seconds: number('seconds', values.seconds),
    json: values.json,
    profile: values.profile === undefined ? undefined : resolve(values.profile),
    sizes: {
      organizations: number('organizations', values.organizations),
      projects: number('projects', values.projects),
      messages: number('messages', values.messages ?? (values.full ? '200000' : '20000')),
      backupMegabytes: number('backup-megabytes', values['backup-megabytes']),
      uploadMegabytes: number('upload-megabytes', values['upload-megabytes']),
    },
  };
}
