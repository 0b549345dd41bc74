import { functionSpec } from '../../../sdk/src/deploy/index.ts';
import type { Command, Group } from '../command.ts';
import { runDeploy } from '../deploy/run-deploy.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { follow } from '../net/follow.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/functions.ts';
import { projectFlag, requireProject } from '../resolve.ts';
import { deployFlags, projectOf } from './deploy.ts';

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
    { name: 'stream', type: 'string', choices: ['stdout', 'stderr'], about: inputs.stream.about },
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
      stream: flags.text('stream'),
    };
    const since = flags.text('since');
    if (!flags.is('follow')) return perform(cli, rows['functions.logs'], { ...wanted, since });
    if (since !== undefined) throw badUsage('--since and --follow exclude each other.', { field: 'since' });
    const document = `subscription ($project: ID!, $name: String!, $tail: Int, $request_id: String, $stream: FunctionLogStream, $after: String) {
      functionLogs(project: $project, name: $name, tail: $tail, requestId: $request_id, stream: $stream, after: $after) {
        cursor line { timestamp: at message stream request_id: requestId log_stream_name: releaseId } } }`;
    const variables = { ...wanted, stream: wanted.stream?.toUpperCase() };
    for await (const told of follow(cli, { document, variables })) line(told);
    return undefined;
  },
};

const deploy: Command = {
  words: 'functions deploy',
  summary: 'Deploy one function, and leave everything else of the release as it is.',
  about: [
    'The function is new, or takes the place of the one before. What no flag says stays as it was.',
    'It is live when the command ends. A function that imports files of its own comes with --dir.',
  ],
  positionals: [{ name: 'name', about: 'What it is called by: small letters, digits, - and _.' }],
  flags: [
    {
      name: 'file',
      type: 'string',
      placeholder: 'file',
      required: true,
      about: 'Its code, in JavaScript or TypeScript; with --dir, from that folder.',
    },
    { name: 'dir', type: 'string', placeholder: 'folder', about: 'A folder whose files it may import.' },
    { name: 'timeout', type: 'integer', min: 1, about: 'How long a call may take, in seconds.' },
    { name: 'memory', type: 'integer', min: 1, about: 'How much memory it may use, in megabytes.' },
    { name: 'deps', type: 'list', placeholder: 'packages', about: 'Packages of npm, separated by commas.' },
    {
      name: 'schedule',
      type: 'string',
      placeholder: 'cron',
      about: 'When it runs by itself, in five fields and UTC; none for never.',
    },
    { name: 'require-auth', type: 'boolean', about: 'Answer signed-in users of the project alone.' },
    ...deployFlags,
  ],
  examples: [
    ['A function', 'functions deploy hello --file hello.mjs'],
    [
      'With packages, and every night',
      "functions deploy report --file report.ts --deps zod,stripe@^23 --schedule '30 2 * * *'",
    ],
    ['Of several files', 'functions deploy api --dir functions/api --file index.ts --timeout 20'],
  ],
  exits: { 3: 'The deploy failed; what it failed with is on standard error.' },
  operations: ['deploys.plan', 'deploys.commit', 'functions.list'],
  async run(call) {
    const { cli, flags, positionals } = call;
    const name = positionals.name!;
    const schedule = flags.text('schedule');
    const spec = functionSpec(name, {
      file: flags.text('file')!,
      dir: flags.text('dir'),
      timeout: flags.number('timeout'),
      memory: flags.number('memory'),
      deps: flags.list('deps'),
      schedule: schedule === 'none' ? null : schedule,
      requireAuth: flags.is('require-auth') ? true : undefined,
    });
    const project = await projectOf(call, spec);
    const done = await runDeploy(call, project, spec, '.');
    if (flags.is('plan')) return done;
    const { functions } = await perform(cli, rows['functions.list'], { project });
    const live = (functions as readonly { readonly name: string }[]).find((one) => one.name === name);
    const { status, operation_id, release_id, warnings } = done;
    return { ...live, status, operation_id, release_id, warnings };
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
    'Functions come with a release: svc functions deploy changes one, svc up and svc deploy apply all of them.',
  ],
  commands: everyCommand(rows, [
    operationCommand('functions list', rows['functions.list'], {
      takes: [take('project')],
      columns: ['name', 'url', 'timeout', 'memory', 'schedules', 'updated_at'],
      examples: [['What there is', 'functions list']],
      empty: 'No functions. Deploy one with svc functions deploy.',
    }),
    deploy,
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
