import { inspectArchive, verifyArchive } from '../../../sdk/src/archive/archive-files.ts';
import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { pathOf } from '../input.ts';
import { rows } from '../operations/archives.ts';

const place = { name: 'archive', about: 'A file of this machine, or the folder that one was unpacked to.' };

/** A command that looks at a file, and asks no gateway. */
const looking = (
  words: 'archives inspect' | 'archives verify',
  operation: keyof typeof rows,
  look: (path: string) => Promise<object>,
): Command => ({
  words,
  summary: rows[operation].summary,
  about: ['It is read on this machine. No gateway is asked.'],
  positionals: [place],
  flags: [{ name: 'offline', type: 'boolean', about: 'Taken, and without effect: no gateway is asked.' }],
  examples: [['A file', `${words} shop.svcar`]],
  operations: [operation],
  run: async ({ cli, positionals }) => look(await pathOf(cli, positionals.archive!)),
});

export const group: Group = {
  name: 'archives',
  about: ['svc archives: what an archive of a project holds, and whether it is whole.'],
  commands: everyCommand(rows, [
    looking('archives inspect', 'archives.inspect', inspectArchive),
    looking('archives verify', 'archives.verify', verifyArchive),
  ]),
};
