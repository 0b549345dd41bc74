import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { Failure, passes } from '../failure.ts';
import { readInput } from '../input.ts';
import { follow } from '../net/follow.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/escalations.ts';
import { note, pause, progress } from '../progress.ts';
import { findProject, orgFlag, projectFlag, requireOrgOrProject } from '../resolve.ts';

const inputs = rows['escalations.raise'].inputs;

/** Exit code of a wait that ends without an answer. The escalation remains open. */
const unanswered = 2;

const raise: Command = {
  words: 'escalations raise',
  summary: rows['escalations.raise'].summary,
  about: [
    'Contacts of the first level are mailed at once; when nobody acknowledges in time, the next level is. With --wait the command polls until somebody does.',
  ],
  positionals: [{ name: 'reason', rest: true, about: inputs.reason.about }],
  flags: [
    { name: 'severity', type: 'string', choices: inputs.severity.choices, about: inputs.severity.about },
    { name: 'wait', type: 'boolean', about: 'Wait until somebody acknowledges or resolves it.' },
    {
      name: 'poll-seconds',
      type: 'integer',
      min: 5,
      max: 600,
      about: 'How often to look: every 30 seconds unless told, 5 to 600.',
    },
    {
      name: 'timeout-seconds',
      type: 'integer',
      min: 60,
      max: 86_400,
      about: 'Longest wait: 3600 seconds unless told, 60 to 86400.',
    },
    {
      name: 'presence-name',
      type: 'string',
      placeholder: 'name',
      about: `${inputs.presence_name.about} Else SVC_AGENT_NAME.`,
    },
    {
      name: 'details',
      type: 'json',
      placeholder: 'json',
      about: `${inputs.details.about} @file reads it from a file.`,
    },
    { name: 'idempotency-key', type: 'string', placeholder: 'key', about: inputs.idempotency_key.about },
    projectFlag,
    orgFlag,
  ],
  examples: [
    ['Page somebody', 'escalations raise "Payments fail since 10:40" --severity high'],
    ['And wait for an answer', 'escalations raise "May I delete the old table?" --wait --timeout-seconds 600'],
  ],
  exits: { [unanswered]: 'nobody answered within --wait; the escalation stays open' },
  operations: ['escalations.raise'],
  human: 'raised',
  async run({ cli, positionals, flags, exitWith }) {
    const project_id = flags.text('project');
    const org = await requireOrgOrProject(cli, { org: flags.text('org'), project: project_id });
    const raised = await perform(cli, rows['escalations.raise'], {
      org,
      reason: positionals.reason,
      severity: flags.text('severity'),
      project_id: project_id === undefined ? undefined : await findProject(cli, { '--project': project_id }),
      presence_name: flags.text('presence-name') ?? cli.env.SVC_AGENT_NAME,
      details: await readInput(cli, flags.value('details'), 'details'),
      idempotency_key: flags.text('idempotency-key'),
    });
    if (!flags.is('wait')) return raised;
    const timeoutMs = (flags.number('timeout-seconds') ?? 3600) * 1000;
    const everyMs = (flags.number('poll-seconds') ?? 30) * 1000;
    const startedAt = Date.now();
    const bar = progress(cli);
    let current: Record<string, unknown> = raised;
    while (current.status === 'open') {
      const waited = Date.now() - startedAt;
      if (waited >= timeoutMs || cli.signal.aborted) {
        exitWith(unanswered);
        break;
      }
      bar.at('Waiting for somebody to answer', waited / timeoutMs);
      await pause(cli, Math.min(everyMs, timeoutMs - waited));
      if (cli.signal.aborted) continue;
      try {
        current = await perform(cli, rows['escalations.get'], { org, escalation: raised.escalation_id });
      } catch (error) {
        // The escalation exists: a failed poll must not lose its id.
        if (!cli.signal.aborted && !(error instanceof Failure && passes(error))) throw error;
        note(cli, 'The gateway could not be asked; looking again.');
      }
    }
    bar.end();
    return current;
  },
};

const fields = `escalation_id: escalationId reason severity status level raised_at: raisedAt deadline_at: deadlineAt
  acknowledged_at: acknowledgedAt acknowledged_by_email: acknowledgedByEmail resolved_at: resolvedAt`;

const list: Command = {
  words: 'escalations list',
  summary: 'Escalations of an organization, newest first: all of them for a member, its own for a delegate.',
  flags: [
    {
      name: 'status',
      type: 'string',
      choices: rows['escalations.list'].inputs.status.choices,
      about: 'Only those that stand so.',
    },
    { name: 'limit', type: 'integer', min: 1, max: 200, about: 'Rows per page: 50 unless told, at most 200.' },
    { name: 'cursor', type: 'string', about: '`next_cursor` of the page before.' },
    { name: 'watch', type: 'boolean', about: 'Follow what becomes of them, a line for each change.' },
    projectFlag,
    orgFlag,
  ],
  examples: [
    ['What is open', 'escalations list --status open'],
    ['As it happens', 'escalations list --watch'],
  ],
  operations: ['escalations.list', 'escalations.open'],
  columns: ['escalation_id', 'status', 'severity', 'reason', 'raised_at'],
  empty: 'No escalations.',
  async run({ cli, flags, line }) {
    const org = await requireOrgOrProject(cli, { org: flags.text('org'), project: flags.text('project') });
    const cursor = flags.text('cursor');
    if (!flags.is('watch'))
      return perform(cli, rows['escalations.list'], {
        org,
        status: flags.text('status'),
        limit: flags.number('limit'),
        after: cursor,
      });
    const document = `subscription ($org: ID!, $after: String) { escalations(org: $org, after: $after) { cursor reset escalation { ${fields} } } }`;
    for await (const told of follow(cli, { document, variables: { org }, after: cursor })) line(told);
    return undefined;
  },
};

const get: Command = operationCommand('escalations get', rows['escalations.get'], {
  orgByProject: true,
  takes: [take('escalation', { name: 'id' })],
  flags: { include: null },
  more: [{ name: 'delivery', type: 'boolean', about: 'What became of each page, too.' }],
  set: ({ flags }) => (flags.is('delivery') ? { include: 'delivery' } : {}),
  examples: [['As it stands', 'escalations get 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --delivery']],
});

export const group: Group = {
  name: 'escalations',
  about: [
    'svc escalations: page the humans of an organization. It changes nothing else. `svc contacts` says whom it reaches.',
  ],
  commands: everyCommand(rows, [
    raise,
    list,
    get,
    operationCommand('escalations ack', rows['escalations.acknowledge'], {
      orgByProject: true,
      takes: [take('escalation', { name: 'id' })],
      examples: [['I am looking at it', 'escalations ack 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
    operationCommand('escalations resolve', rows['escalations.resolve'], {
      orgByProject: true,
      takes: [take('escalation', { name: 'id' })],
      examples: [['Over', 'escalations resolve 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --note "rolled back"']],
    }),
    operationCommand('escalations ack-by-token', rows['escalations.acknowledgeByToken'], {
      takes: [take('token')],
      about: ['Nobody has to sign in for it: the token stands for the person who was paged.'],
      examples: [['With what the mailed link brought', 'escalations ack-by-token 3f9c…']],
    }),
  ]),
};
