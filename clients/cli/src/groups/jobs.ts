import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { readInput, readJson } from '../input.ts';
import { follow } from '../net/follow.ts';
import { saveAnswer } from '../net/save-answer.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/jobs.ts';
import { projectFlag, requireProject } from '../resolve.ts';

const job = take('job', { name: 'job_id' });
const { inputs } = rows['jobs.logs'];
const jobPlace = { name: 'job_id', about: inputs.job.about };

const logs: Command = {
  words: 'jobs logs',
  summary: rows['jobs.logs'].summary,
  about: ['With --follow the newest lines come first, and then each one as it is said, until the job has ended.'],
  positionals: [jobPlace],
  flags: [
    { name: 'tail', type: 'integer', min: 1, max: 1_000, about: inputs.tail.about },
    { name: 'since', type: 'string', placeholder: 'when', about: inputs.since.about },
    { name: 'follow', type: 'boolean', about: 'Go on as they are said, a line for each.' },
    projectFlag,
  ],
  examples: [
    ['The latest lines', 'jobs logs job_01jzk3'],
    ['As they are said', 'jobs logs job_01jzk3 --follow'],
  ],
  operations: ['jobs.logs', 'jobs.openLogs', 'jobs.get'],
  columns: ['timestamp', 'log_stream_name', 'message'],
  empty: 'It has said nothing in the last 14 days.',
  async run({ cli, positionals, flags, line }) {
    const project = await requireProject(cli, { '--project': flags.text('project') });
    const wanted = { project, job: positionals.job_id!, tail: flags.number('tail') };
    const since = flags.text('since');
    if (!flags.is('follow')) return perform(cli, rows['jobs.logs'], { ...wanted, since });
    if (since !== undefined) throw badUsage('--since and --follow exclude each other.', { field: 'since' });
    const document = `subscription ($project: ID, $job: String!, $tail: Int, $after: String) {
      jobLogs(project: $project, job: $job, tail: $tail, after: $after) {
        cursor line { timestamp message stream log_stream_name: logStreamName } } }`;
    for await (const told of follow(cli, { document, variables: wanted })) {
      line(told);
      // The platform says the last line of a job.
      const { stream } = (told as { readonly line: { readonly stream: string } }).line;
      if (stream !== 'SYSTEM') continue;
      const { completed_at: end } = await perform(cli, rows['jobs.get'], { project, job: wanted.job });
      if (end !== undefined) break;
    }
    return undefined;
  },
};

const submit: Command = operationCommand('jobs submit', rows['jobs.submit'], {
  flags: { request: null },
  about: ['The request is JSON: {"job_type", "input": {"input_json"}, "max_cost_usd_micros", "callback_url"}.'],
  more: [
    { name: 'file', type: 'string', placeholder: 'file', about: 'A file with the request.' },
    { name: 'stdin', type: 'boolean', about: 'Read the request from the standard input.' },
    { name: 'request', type: 'json', about: 'The request itself, in place of a file.' },
  ],
  set: async ({ cli, flags }) => {
    const file = flags.is('stdin') ? '-' : flags.text('file');
    const given = flags.value('request');
    if ((file === undefined) === (given === undefined))
      throw badUsage('Give one of --file, --stdin and --request.', { field: 'file' });
    return { request: file === undefined ? await readInput(cli, given, 'request') : await readJson(cli, file, 'file') };
  },
  examples: [
    ['From a file', 'jobs submit --file request.json'],
    ['From a pipe', 'jobs submit --stdin < request.json'],
  ],
});

const getArtifact: Command = {
  words: 'jobs artifacts get',
  summary: 'Write a file that a job has made into a file of this machine.',
  positionals: [jobPlace],
  flags: [
    { name: 'file', type: 'string', placeholder: 'name', required: true, about: 'The file, as the job names it.' },
    { name: 'output', type: 'string', placeholder: 'file', about: 'Where it goes: its own name unless told.' },
    projectFlag,
  ],
  examples: [['A report', 'jobs artifacts get job_01jzk3 --file report.json --output report.json']],
  operations: ['jobs.downloadArtifact'],
  async run({ cli, positionals, flags }) {
    const project = await requireProject(cli, { '--project': flags.text('project') });
    const id = positionals.job_id!;
    const filename = flags.text('file')!;
    const output = flags.text('output') ?? filename;
    const path = `/jobs/v1/runs/${encodeURIComponent(id)}/artifacts/${encodeURIComponent(filename)}`;
    const { size } = await saveAnswer(cli, { method: 'GET', path, query: { project_id: project }, project }, output);
    return { job_id: id, filename, output, size_bytes: size };
  },
};

export const group: Group = {
  name: 'jobs',
  about: [
    'svc jobs: work that the gateway does for a project in the background, for at most what you say.',
    'svc jobs types tells what there is, and what it costs.',
  ],
  commands: everyCommand(rows, [
    operationCommand('jobs types', rows['jobs.types'], {
      columns: ['job_type', 'description', 'price', 'limits'],
      examples: [['What there is', 'jobs types']],
    }),
    submit,
    operationCommand('jobs list', rows['jobs.list'], {
      takes: [take('project')],
      columns: ['job_id', 'job_type', 'status', 'created_at', 'completed_at'],
      examples: [
        ['The latest', 'jobs list'],
        ['Those that failed', 'jobs list --status failed'],
      ],
      empty: 'No jobs. Submit one with svc jobs submit.',
    }),
    operationCommand('jobs get', rows['jobs.get'], {
      takes: [job],
      examples: [['How it stands', 'jobs get job_01jzk3']],
    }),
    logs,
    operationCommand('jobs cancel', rows['jobs.cancel'], {
      takes: [job],
      examples: [['It is not needed any more', 'jobs cancel job_01jzk3']],
    }),
    operationCommand('jobs purge', rows['jobs.purge'], {
      takes: [take('project')],
      confirm: 'all jobs of the project are cancelled and deleted, with their logs and artifacts.',
      examples: [['All of them', 'jobs purge --confirm']],
    }),
    getArtifact,
  ]),
};
