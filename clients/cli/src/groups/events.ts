import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { follow } from '../net/follow.ts';
import { perform } from '../operation-command.ts';
import { rows } from '../operations/events.ts';
import { findProject, orgFlag, projectFlag, requireOrg, requireProject } from '../resolve.ts';

const inputs = rows['projects.listEvents'].inputs;

const events: Command = {
  words: 'events',
  summary: 'What happened in a project or an organization after a cursor, oldest first.',
  about: [
    'The feed of the project in use, or with --org that of an organization with all its projects. Keep `cursor` of a page, and give it as --cursor for the next one: it belongs to this very feed with these filters. One that cannot be used begins the feed anew and says `reset`.',
  ],
  flags: [
    { name: 'cursor', type: 'string', about: inputs.cursor.about },
    { name: 'limit', type: 'integer', min: 1, max: 200, about: 'Events per page: 50 unless told, at most 200.' },
    { name: 'source', type: 'string', choices: ['app', 'platform'], about: 'Only what this source tells.' },
    { name: 'type', type: 'list', placeholder: 'a,b', about: 'Only events of these types.' },
    { name: 'watch', type: 'boolean', about: 'Go on as they happen, a line for each.' },
    projectFlag,
    orgFlag,
  ],
  examples: [
    ['Of the project in use', 'events --limit 10'],
    [
      'Deploys anywhere in an organization',
      'events --org 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --type deploy_activated',
    ],
    ['As they happen', 'events --watch'],
  ],
  operations: ['projects.listEvents', 'orgs.listEvents', 'events.open'],
  columns: ['occurred_at', 'event_type', 'source', 'payload.sender', 'payload.body_snippet', 'id'],
  empty: 'No events yet.',
  async run({ cli, flags, line }) {
    const org = flags.text('org');
    if (org !== undefined && flags.text('project') !== undefined)
      throw badUsage('--org and --project exclude each other.', { field: 'org' });
    const named = flags.text('project');
    const project = org === undefined ? await findProject(cli, { '--project': named }) : undefined;
    const target = project === undefined ? { org: await requireOrg(cli, { '--org': org }) } : { project };
    const types = flags.list('type');
    const source = flags.text('source');
    if (flags.is('watch')) {
      const document = `subscription ($org: ID, $project: ID, $source: EventSource, $types: [String!], $after: String) {
        events(org: $org, project: $project, source: $source, types: $types, after: $after) { cursor reset event {
          id: eventId project_id: projectId event_type: type class source occurred_at: occurredAt payload next_actions: nextActions } } }`;
      const variables = { ...target, source: source?.toUpperCase(), types };
      for await (const told of follow(cli, { document, variables, after: flags.text('cursor') })) line(told);
      return undefined;
    }
    const row = project === undefined ? rows['orgs.listEvents'] : rows['projects.listEvents'];
    const limit = flags.number('limit');
    return perform(cli, row, { ...target, cursor: flags.text('cursor'), limit, source, event_type: types });
  },
};

const emit: Command = {
  words: 'events emit',
  summary: rows['events.emit'].summary,
  about: ['With the project’s service key: SVC_SERVICE_KEY, or the one kept on this machine.'],
  positionals: [{ name: 'event_type', about: rows['events.emit'].inputs.event_type.about }],
  flags: [
    {
      name: 'payload',
      type: 'json',
      placeholder: 'json',
      about: `${rows['events.emit'].inputs.payload.about} @file reads it from a file.`,
    },
    {
      name: 'idempotency-key',
      type: 'string',
      placeholder: 'key',
      about: 'The same key tells it once in its project, for ever.',
    },
    projectFlag,
  ],
  examples: [['Tell of an order', `events emit order_paid --payload '{"order":17}'`]],
  operations: ['events.emit'],
  async run({ cli, positionals, flags }) {
    const [{ keyCredential }, { readInput }] = await Promise.all([import('../keys.ts'), import('../input.ts')]);
    const project = await requireProject(cli, { '--project': flags.text('project') });
    const credential = await keyCredential(cli, project, 'service');
    const inputs = {
      project,
      event_type: positionals.event_type,
      payload: await readInput(cli, flags.value('payload'), 'payload'),
      idempotency_key: flags.text('idempotency-key'),
    };
    return perform(cli, rows['events.emit'], inputs, { credential: async () => credential });
  },
};

export const group: Group = { name: 'events', about: [events.summary], commands: everyCommand(rows, [events, emit]) };
