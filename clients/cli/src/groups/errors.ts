import { watchPages } from '../../../sdk/src/watch-pages.ts';
import type { Call, Command, Group } from '../command.ts';
import { secondsOf } from '../duration.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage, Failure, passes, stopped } from '../failure.ts';
import { operationCommand, perform } from '../operation-command.ts';
import { rows } from '../operations/errors.ts';
import { note, progress } from '../progress.ts';
import { projectFlag, requireProject } from '../resolve.ts';

const inputs = rows['errors.list'].inputs;
const filters = [
  'since',
  'until',
  'function',
  'kind',
  'fingerprint',
  'new-in',
  'counts',
  'limit',
  'cursor',
  'fail-on-new',
  'watch',
  'interval',
];

const newOnes = 1;
const noVerdict = 2;
const usualIntervalSeconds = 15;
const shortestIntervalSeconds = 5;

interface Page {
  readonly verdict: { readonly new_fingerprints: number };
}

const errors: Command = {
  words: 'errors',
  summary: 'Failures of a project’s functions, with the verdict over all of them; or one with its samples.',
  about: [
    'With --new-in only what was first seen under that release counts as new: `--fail-on-new` makes the exit code say whether anything was, and `--watch` looks again for a while, which is how a deploy is judged.',
  ],
  positionals: [{ name: 'fingerprint_id', optional: true, about: 'One failure, fp_…; then no filter is taken.' }],
  flags: [
    { name: 'since', type: 'string', placeholder: 'time', about: inputs.since.about },
    { name: 'until', type: 'string', placeholder: 'time', about: inputs.until.about },
    { name: 'function', type: 'string', placeholder: 'name', about: inputs.function.about },
    {
      name: 'kind',
      type: 'string',
      choices: ['uncaught', 'boot_crash', 'invoke_failed', 'handled_5xx'],
      about: inputs.kind.about,
    },
    { name: 'fingerprint', type: 'string', placeholder: 'fp_…', about: inputs.fingerprint.about },
    { name: 'new-in', type: 'string', placeholder: 'release', about: inputs.new_in.about },
    { name: 'counts', type: 'string', choices: ['hour', 'day'], about: inputs.counts.about },
    { name: 'limit', type: 'integer', min: 1, max: 200, about: 'Rows per page: 50 unless told, at most 200.' },
    { name: 'cursor', type: 'string', about: '`next_cursor` of the page before.' },
    { name: 'fail-on-new', type: 'boolean', about: 'Exit with 1 when anything is new. Wants --new-in.' },
    {
      name: 'watch',
      type: 'string',
      placeholder: 'time',
      about: 'Look again for so long, such as 10m. Wants --new-in.',
    },
    {
      name: 'interval',
      type: 'string',
      placeholder: 'time',
      about: 'How often to look: 15s unless told, at least 5s.',
    },
    projectFlag,
  ],
  examples: [
    ['The last day', 'errors'],
    ['How often in each hour of it', 'errors --counts hour'],
    ['Is the release that is active worse?', 'errors --new-in active --fail-on-new --watch 10m'],
    ['One of them', 'errors fp_0123456789abcdef'],
  ],
  exits: {
    [newOnes]: 'any failure, or with --fail-on-new something is new',
    [noVerdict]: 'with --fail-on-new no verdict could be had',
  },
  operations: ['errors.list', 'errors.get'],
  human: 'failures',
  async run(call) {
    const { cli, positionals, flags } = call;
    const gate = flags.is('fail-on-new');
    const fingerprint = positionals.fingerprint_id;
    if (fingerprint !== undefined) {
      const given = filters.find((name) => flags.value(name) !== undefined);
      if (given !== undefined) throw badUsage(`One failure takes no --${given}.`, { field: given });
      const project = await requireProject(cli, { '--project': flags.text('project') });
      return perform(cli, rows['errors.get'], { project, fingerprint });
    }
    const release = flags.text('new-in');
    if (gate && release === undefined)
      throw badUsage('--fail-on-new wants --new-in.', { field: 'fail-on-new', exitCode: noVerdict });
    if (flags.text('watch') !== undefined && release === undefined)
      throw badUsage('--watch wants --new-in.', { field: 'watch' });
    if (flags.text('interval') !== undefined && flags.text('watch') === undefined)
      throw badUsage('--interval wants --watch.', { field: 'interval' });
    try {
      const page = await judged(call);
      if (gate && page.verdict.new_fingerprints > 0) call.exitWith(newOnes);
      return page;
    } catch (error) {
      if (!gate || !(error instanceof Failure)) throw error;
      throw new Failure({ ...error.envelope, code: 'VERDICT_UNAVAILABLE', cause_code: error.envelope.code }, noVerdict);
    }
  },
};

/** The page that the command returns: the only one, or the last one of a watch. */
async function judged({ cli, flags }: Call): Promise<Page> {
  const project = await requireProject(cli, { '--project': flags.text('project') });
  const look = async () =>
    (await perform(cli, rows['errors.list'], {
      project,
      since: flags.text('since'),
      until: flags.text('until'),
      function: flags.text('function'),
      kind: flags.text('kind'),
      fingerprint: flags.text('fingerprint'),
      new_in: flags.text('new-in'),
      counts: flags.text('counts'),
      limit: flags.number('limit'),
      after: flags.text('cursor'),
    })) as unknown as Page;
  const watch = flags.text('watch');
  if (watch === undefined) return look();
  let every = secondsOf(flags.text('interval') ?? String(usualIntervalSeconds), 'interval');
  if (every < shortestIntervalSeconds) {
    cli.stderr.write(`svc: --interval is raised to ${shortestIntervalSeconds}s.\n`);
    every = shortestIntervalSeconds;
  }
  const bar = progress(cli);
  const gate = flags.is('fail-on-new');
  const watchMs = secondsOf(watch, 'watch') * 1000;
  try {
    const { page, aborted } = await watchPages({
      look,
      isDone: ({ verdict }) => gate && verdict.new_fingerprints > 0,
      passes: (error) => error instanceof Failure && passes(error),
      windowMs: watchMs,
      intervalMs: every * 1000,
      signal: cli.signal,
      onLook: ({ page, error, spentMs }) => {
        if (error instanceof Failure) note(cli, `${error.message} Looking again.`);
        bar.at(`Watching for new failures: ${page?.verdict.new_fingerprints ?? 0} so far`, spentMs / watchMs);
      },
    });
    // An interrupted watch must not pass the gate.
    if (aborted && gate) throw stopped();
    return page;
  } finally {
    bar.end();
  }
}

const report = (words: string, row: Parameters<typeof operationCommand>[1], example: readonly [string, string]) =>
  operationCommand(words, row, {
    about: ['For runtimes, with the project’s service key. A list is JSON, or @file.'],
    credential: async (cli) => {
      const [{ keyCredential }, { findProject }] = await Promise.all([import('../keys.ts'), import('../resolve.ts')]);
      const project = await findProject(cli);
      return project === undefined ? undefined : keyCredential(cli, project, 'service');
    },
    examples: [example],
  });

export const group: Group = {
  name: 'errors',
  about: [errors.summary],
  commands: everyCommand(rows, [
    errors,
    report('errors report', rows['errors.reportOccurrences'], [
      'Failures that happened',
      'errors report --occurrences @failures.json',
    ]),
    report('errors report-activation', rows['errors.reportActivation'], [
      'A release is active',
      'errors report-activation --release-id rel_9',
    ]),
    report('errors report-invocations', rows['errors.reportInvocations'], [
      'How often they ran',
      'errors report-invocations --invocations @counts.json',
    ]),
    report('errors report-fidelity', rows['errors.reportFidelity'], [
      'Which functions report in full',
      'errors report-fidelity --functions @functions.json',
    ]),
  ]),
};
