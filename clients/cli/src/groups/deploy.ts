import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call, Command, Flag, Group } from '../command.ts';
import { readJson } from '../deploy/read-manifest.ts';
import { runDeploy } from '../deploy/run-deploy.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { follow } from '../net/follow.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/deploy.ts';
import { findProject, projectFlag, requireProject } from '../resolve.ts';

/** What goes with every command that deploys. */
export const deployFlags: readonly Flag[] = [
  { name: 'plan', type: 'boolean', about: 'Say what would be done, and do nothing.' },
  {
    name: 'allow-warning',
    type: 'list',
    placeholder: 'codes',
    about: 'Codes of the warnings that are agreed to, separated by commas.',
  },
  { name: 'allow-warnings', type: 'boolean', about: 'Agree to all warnings.' },
  projectFlag,
];

/** `svc deploy apply`, which has a short name of its own. */
export const apply: Command = {
  words: 'deploy apply',
  summary: 'Deploy a folder, or what a release specification says.',
  about: [
    'Reads the files, asks what of them the project has already, uploads the rest, and makes the release live at once.',
    'A warning that needs an answer stops it before anything is uploaded.',
  ],
  flags: [
    {
      name: 'dir',
      type: 'string',
      placeholder: 'folder',
      about: 'Its files become the site, in place of those before.',
    },
    {
      name: 'manifest',
      type: 'string',
      placeholder: 'file',
      about: 'A release specification in JSON; paths in it are meant from its folder.',
    },
    ...deployFlags,
  ],
  examples: [
    ['A folder as the site', 'deploy apply --dir dist'],
    ['What it would do', 'deploy apply --dir dist --plan'],
    ['Migrations and a site', 'deploy apply --manifest release.json'],
  ],
  exits: { 3: 'The deploy failed; what it failed with is on standard error.' },
  operations: ['deploys.plan', 'deploys.commit'],
  async run(invocation) {
    const { cli, flags } = invocation;
    const [dir, manifest] = [flags.text('dir'), flags.text('manifest')];
    if ((dir === undefined) === (manifest === undefined))
      throw badUsage('Give either --dir or --manifest.', { field: 'dir' });
    const spec =
      dir === undefined ? await readJson(cli, manifest!) : { site: { replace: { __source: 'local-dir', path: dir } } };
    return runDeploy(invocation, await projectOf(invocation, spec), spec, dir === undefined ? dirname(manifest!) : '.');
  },
};

const events: Command = {
  words: 'deploy events',
  summary: rows['deploys.listEvents'].summary,
  positionals: [{ name: 'operation', about: rows['deploys.listEvents'].inputs.operation.about }],
  flags: [
    { name: 'limit', type: 'integer', min: 1, max: 1_000, about: rows['deploys.listEvents'].inputs.limit.about },
    { name: 'cursor', type: 'string', placeholder: 'id', about: rows['deploys.listEvents'].inputs.cursor.about },
    { name: 'watch', type: 'boolean', about: 'Follow what happens, a line for each.' },
  ],
  examples: [
    ['What happened', 'deploy events op_01JZK3'],
    ['As it happens', 'deploy events op_01JZK3 --watch'],
  ],
  operations: ['deploys.listEvents', 'deploys.open'],
  async run({ cli, positionals, flags, line }) {
    const operation = positionals.operation!;
    if (!flags.is('watch'))
      return perform(cli, rows['deploys.listEvents'], {
        operation,
        ...(flags.number('limit') === undefined ? {} : { limit: flags.number('limit') }),
        ...(flags.text('cursor') === undefined ? {} : { cursor: flags.text('cursor') }),
      });
    const document =
      'subscription ($operation: String!, $after: String) { deployOperation(operation: $operation, after: $after) { cursor event } }';
    for await (const event of follow(cli, { document, variables: { operation } })) line(event);
    return undefined;
  },
};

/** Exit code while a host still answers with another release. */
const incoherent = 2;

/** Flags of commands that verify. */
export const verifyFlags: readonly Flag[] = [
  { name: 'wait', type: 'boolean', about: 'Ask again until all hosts answer with the release.' },
  { name: 'timeout', type: 'integer', min: 1, max: 86_400, about: 'How long to wait, in seconds: 60 unless told.' },
];

/** What the exit codes of commands that verify mean. */
export const verifyExits: NonNullable<Command['exits']> = {
  [incoherent]: 'a host does not answer with the release, or did not within --timeout',
};

/** Asks every host which release it answers with, until all of them do as the deploy says or the time is over. */
export async function verifyDeploy({ cli, flags, exitWith }: Call, operation: string): Promise<unknown> {
  const until = performance.now() + (flags.is('wait') ? (flags.number('timeout') ?? 60) * 1_000 : 0);
  for (;;) {
    const seen = await perform(cli, rows['deploys.verifyEdge'], { operation });
    if (seen.coherent === true) return seen;
    if (performance.now() + 1_000 > until) {
      exitWith(incoherent);
      return seen;
    }
    await delay(1_000, undefined, { signal: cli.signal });
  }
}

const verify: Command = {
  words: 'deploy verify',
  summary: rows['deploys.verifyEdge'].summary,
  about: [
    'Asks every host of the project for a few of its pages, as visitors do, and says which release answered.',
    'With --wait it asks every second until all of them answer with the release of the deploy.',
  ],
  positionals: [{ name: 'operation', about: rows['deploys.verifyEdge'].inputs.operation.about }],
  flags: verifyFlags,
  exits: verifyExits,
  examples: [
    ['Whether it is everywhere', 'deploy verify op_01JZK3'],
    ['Until it is', 'deploy verify op_01JZK3 --wait --timeout 120'],
  ],
  operations: ['deploys.verifyEdge'],
  run: (call) => verifyDeploy(call, call.positionals.operation!),
};

/** Exit code of a rehearsal that has failed. */
const unfit = 2;

/** How often a rehearsal is looked at that takes long, in milliseconds. */
const lookMs = 1_000;

const rehearse: Command = {
  words: 'deploy rehearse',
  summary: rows['deploys.rehearse'].summary,
  about: [
    'Makes a branch with the rows of now, applies the plan there, and waits for the report.',
    'What is live stays as it is, and the plan can be committed afterwards.',
  ],
  positionals: [{ name: 'plan', about: rows['deploys.rehearse'].inputs.plan.about }],
  flags: [
    {
      name: 'teardown',
      type: 'string',
      placeholder: 'policy',
      choices: rows['deploys.rehearse'].inputs.teardown.choices,
      about: rows['deploys.rehearse'].inputs.teardown.about,
    },
    projectFlag,
  ],
  exits: { [unfit]: 'the plan has failed on the branch' },
  examples: [
    ['Before it is committed', 'deploy rehearse plan_01JZK3'],
    ['To look at the branch afterwards', 'deploy rehearse plan_01JZK3 --teardown keep'],
  ],
  human: 'rehearsal',
  operations: ['deploys.rehearse'],
  async run({ cli, positionals, flags, exitWith }) {
    const teardown = flags.text('teardown');
    const project = await findProject(cli, { '--project': flags.text('project') });
    const begun = await perform(
      cli,
      rows['deploys.rehearse'],
      { plan: positionals.plan!, ...(teardown === undefined ? {} : { teardown }) },
      // A plan says by itself which project it is for; a person’s session has its approval name it.
      project === undefined ? {} : { approval: () => ({ action: 'project.deploy', project_id: project }) },
    );
    const rehearsal: Record<string, unknown> = { ...begun };
    while (rehearsal.report == null) {
      await delay(lookMs, undefined, { signal: cli.signal });
      const seen = await perform(cli, rows['deploys.get'], { operation: begun.operation_id as string });
      rehearsal.status = seen.status;
      rehearsal.report = seen.rehearsal_report;
    }
    if ((rehearsal.report as { readonly status: string }).status !== 'passed') exitWith(unfit);
    return rehearsal;
  },
};

/** The project that is named by a flag, by the specification, or where projects are looked for. */
export const projectOf = ({ cli, flags }: Call, spec: Readonly<Record<string, unknown>>): Promise<string> => {
  const named = spec.project_id ?? spec.project;
  return requireProject(cli, {
    '--project': flags.text('project'),
    'the manifest': typeof named === 'string' ? named : undefined,
  });
};

/** The parts of an address. @throws BAD_USAGE */
function partsOf(given: string): { readonly host: string; readonly path: string } {
  const url = URL.parse(given.includes('://') ? given : `https://${given}`);
  if (url === null || url.hostname === '') throw badUsage(`${given} is no address.`, { field: 'url' });
  return { host: url.hostname, path: url.pathname };
}

export const group: Group = {
  name: 'deploy',
  about: ['svc deploy: releases of a project, which go live at once and go back at once.'],
  commands: everyCommand(rows, [
    apply,
    events,
    verify,
    rehearse,
    operationCommand('deploy list', rows['deploys.list'], {
      columns: ['operation_id', 'kind', 'status', 'release_id', 'created_at'],
      examples: [['The latest', 'deploy list --limit 5']],
      empty: 'No deploys. Begin with `svc deploy apply`.',
    }),
    operationCommand('deploy diagnose', rows['deploys.resolve'], {
      takes: [take('host', { name: 'url' })],
      flags: { path: null },
      texts: { host: 'The address. What follows ? or # is not looked at.' },
      set: ({ positionals }) => partsOf(positionals.url!),
      about: ['Says which release, route and file answer an address, and why it answers what it does.'],
      examples: [['Why a page is missing', 'deploy diagnose https://shop.example.com/about']],
    }),
    operationCommand('deploy resolve', rows['deploys.resolve'], {
      examples: [['A form that is posted', 'deploy resolve --host shop.example.com --path /submit --method POST']],
    }),
    operationCommand('deploy promote', rows['releases.promote'], {
      takes: [take('release')],
      flags: { allow_warning_codes: 'allow-warning' },
      approval: ({ project }) => ({ action: 'project.deploy', project_id: project as string }),
      examples: [['Go back', 'deploy promote rel_01JZK3']],
    }),
  ]),
};
