import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { follow } from '../net/follow.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/functions.ts';
import { projectFlag, requireProject } from '../resolve.ts';

const inputs = rows['functions.logs'].inputs;

const logs: Command = {
  words: 'functions logs',
  summary: rows['functions.logs'].summary,
  about: ['With --follow the newest lines come first, and then each one as it is printed.'],
  positionals: [{ name: 'name', about: inputs.name.about }],
  flags: [
    { name: 'tail', type: 'integer', min: 1, max: 1_000, about: inputs.tail.about },
    { name: 'since', type: 'string', placeholder: 'when', about: inputs.since.about },
    { name: 'request-id', type: 'string', placeholder: 'id', about: inputs.request_id.about },
    { name: 'follow', type: 'boolean', about: 'Go on as they are printed, a line for each.' },
    projectFlag,
  ],
  examples: [
    ['The latest lines', 'functions logs checkout'],
    ['Of one call', 'functions logs checkout --request-id req_0kz3m'],
    ['As they are printed', 'functions logs checkout --follow'],
  ],
  operations: ['functions.logs', 'functions.openLogs'],
  columns: ['timestamp', 'message', 'request_id'],
  empty: 'It has printed nothing in the last 14 days.',
  async run({ cli, positionals, flags, line }) {
    const project = await requireProject(cli, { '--project': flags.text('project') });
    const wanted = {
      project,
      name: positionals.name!,
      tail: flags.number('tail'),
      request_id: flags.text('request-id'),
    };
    const since = flags.text('since');
    if (!flags.is('follow')) return perform(cli, rows['functions.logs'], { ...wanted, since });
    if (since !== undefined) throw badUsage('--since and --follow exclude each other.', { field: 'since' });
    const document = `subscription ($project: ID!, $name: String!, $tail: Int, $request_id: String, $after: String) {
      functionLogs(project: $project, name: $name, tail: $tail, requestId: $request_id, after: $after) { cursor line {
        timestamp: at message stream request_id: requestId log_stream_name: releaseId } } }`;
    for await (const told of follow(cli, { document, variables: wanted })) line(told);
    return undefined;
  },
};

const getRun: Command = {
  words: 'functions runs get',
  summary: rows['functions.getRun'].summary,
  about: ['With --watch it goes on until the run has ended.'],
  positionals: [{ name: 'run', about: rows['functions.getRun'].inputs.run.about }],
  flags: [{ name: 'watch', type: 'boolean', about: 'Go on as the run changes, a line for each change.' }],
  examples: [
    ['How it stands', 'functions runs get fnrun_01JZK3'],
    ['Until it has ended', 'functions runs get fnrun_01JZK3 --watch'],
  ],
  operations: ['functions.getRun', 'functions.openRun'],
  async run({ cli, positionals, flags, line }) {
    const run = positionals.run!;
    if (!flags.is('watch')) return perform(cli, rows['functions.getRun'], { run });
    const document = `subscription ($run: ID!, $after: String) { functionRun(run: $run, after: $after) { cursor run {
      run_id: runId status: status terminal: terminal generation attempts { current max total next_attempt_at: nextAttemptAt }
      last_error: lastError { code message retryable } updated_at: updatedAt } } }`;
    for await (const told of follow(cli, { document, variables: { run } })) {
      line(told);
      if ((told as { readonly run: { readonly terminal: boolean } }).run.terminal) break;
    }
    return undefined;
  },
};

export const group: Group = {
  name: 'functions',
  about: [
    'svc functions: code of a project that the gateway runs, each function under a name.',
    'Functions come with a release: svc deploy apply.',
  ],
  commands: everyCommand(rows, [
    operationCommand('functions list', rows['functions.list'], {
      takes: [take('project')],
      columns: ['name', 'url', 'timeout', 'memory', 'schedules', 'updated_at'],
      examples: [['What there is', 'functions list']],
      empty: 'No functions. They come with a release: svc deploy apply --manifest release.json',
    }),
    logs,
    getRun,
    operationCommand('functions runs list', rows['functions.listRuns'], {
      takes: [take('name')],
      columns: ['run_id', 'status', 'event_type', 'run_at', 'attempts'],
      examples: [
        ['The latest', 'functions runs list nightly'],
        ['Those that failed', 'functions runs list nightly --status failed'],
      ],
      empty: 'No runs. Make one with svc functions runs create.',
    }),
  ]),
};
