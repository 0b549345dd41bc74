import type { Command } from '../command.ts';
import { openDump } from '../import/dump-file.ts';
import { importDump } from '../import/import-dump.ts';
import { projectEndpoint } from '../import/project-endpoint.ts';
import { projectFlag, requireProject } from '../resolve.ts';

export const importProject: Command = {
  words: 'projects import',
  summary: 'Bring a plain-text dump of PostgreSQL or Supabase into a project: tables, rows and users.',
  about: [
    'The dump is what `pg_dump` writes as SQL, plain or gzip. Schema public comes along, and users of a Supabase project with their passwords; the answer names everything that does not.',
    'A statement that fails stops the import with its line. Everything before that line is done: --from-line goes on there.',
  ],
  positionals: [
    { name: 'project_id', optional: true, only: /^prj_/, about: 'Project, prj_…; else as --project says.' },
    { name: 'dump', about: 'The file, or - for standard input.' },
  ],
  flags: [
    { name: 'dry-run', type: 'boolean', about: 'Read the whole dump and say what would happen; nothing is sent.' },
    { name: 'from-line', type: 'integer', min: 1, about: 'Do nothing before this line, which was done already.' },
    projectFlag,
  ],
  examples: [
    ['What would come along?', 'projects import dump.sql --dry-run'],
    ['Import it', 'projects import dump.sql'],
    ['Go on where it stopped', 'projects import dump.sql --from-line 4711'],
  ],
  operations: ['projects.sql', 'users.import'],
  async run({ cli, positionals, flags }) {
    const isDry = flags.is('dry-run');
    const project = isDry
      ? undefined
      : await requireProject(cli, { argument: positionals.project_id, '--project': flags.text('project') });
    const dump = await openDump(cli, positionals.dump!);
    const result = await importDump(cli, dump, {
      endpoint: project === undefined ? undefined : projectEndpoint(cli, project),
      fromLine: flags.number('from-line') ?? 1,
    });
    return { ...(project === undefined ? {} : { project_id: project }), ...result };
  },
};
