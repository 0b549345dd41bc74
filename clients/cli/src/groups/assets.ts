import { basename, relative, resolve } from 'node:path';
import { contentFile } from '../../../sdk/src/content-file.ts';
import { type DeployPlanAnswer, deploy } from '../../../sdk/src/deploy/index.ts';
import { walkFolder } from '../../../sdk/src/deploy/local-files.ts';
import { uploadContent } from '../../../sdk/src/upload-content.ts';
import type { Call, Command, Flag, Group } from '../command.ts';
import { asFailure, runDeploy } from '../deploy/run-deploy.ts';
import { everyCommand } from '../every-command.ts';
import { local } from '../failure.ts';
import { isAbsent } from '../files/json-file.ts';
import { connection } from '../net/gateway.ts';
import { saveAnswer } from '../net/save-answer.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/assets.ts';
import { note, progress } from '../progress.ts';
import { projectFlag, requireProject } from '../resolve.ts';
import { deployFlags } from './deploy.ts';

const projectOf = ({ cli, flags, positionals }: Call): Promise<string> =>
  requireProject(cli, { argument: positionals.project_id, '--project': flags.text('project') });

const kindFlags: readonly Flag[] = [
  { name: 'private', type: 'boolean', about: 'Served by signed addresses alone.' },
  { name: 'mutable', type: 'boolean', about: 'Versions have no addresses of their own.' },
];

/** What is said of every asset that a command puts. */
const kindOf = ({ flags }: Call) => ({
  ...(flags.is('private') ? { visibility: 'private' } : {}),
  ...(flags.is('mutable') ? { immutable: false } : {}),
});

const put: Command = {
  words: 'assets put',
  summary: 'Publish a file under a key.',
  about: ['The bytes are uploaded in parts, and not at all where the project holds them already.'],
  positionals: [{ name: 'file', about: 'The file, of any size.' }],
  flags: [
    { name: 'key', type: 'string', about: 'The key: the name of the file unless told.' },
    { name: 'content-type', type: 'string', about: rows['assets.put'].inputs.content_type.about },
    { name: 'metadata', type: 'json', about: rows['assets.put'].inputs.metadata.about },
    {
      name: 'exif-policy',
      type: 'string',
      choices: ['keep', 'strip'],
      about: rows['assets.put'].inputs.exif_policy.about,
    },
    ...kindFlags,
    projectFlag,
  ],
  examples: [
    ['A picture', 'assets put logo.png --key images/logo.png'],
    ['For some eyes only', 'assets put report.pdf --private'],
  ],
  operations: ['assets.put'],
  async run(call) {
    const { cli, positionals, flags } = call;
    const project = await projectOf(call);
    const approval = { action: 'project.deploy', project_id: project } as const;
    const file = positionals.file!;
    const bytes = await contentFile(resolve(cli.cwd, file)).catch((error: unknown) => {
      throw isAbsent(error) ? local('FILE_NOT_FOUND', `There is no file ${file}.`, { field: 'file' }) : error;
    });
    const bar = progress(cli);
    try {
      const way = await connection(cli, { project, approval });
      const [uploaded] = await uploadContent(
        way,
        {
          content: [bytes],
          project,
          onProgress: ({ sent, missing }) => bar.at('Uploading', missing === 0 ? undefined : sent / missing),
        },
        { signal: cli.signal },
      );
      const asked = {
        project,
        key: flags.text('key') ?? basename(file),
        sha256: uploaded!.sha256,
        size_bytes: uploaded!.size,
        content_type: flags.text('content-type'),
        metadata: flags.value('metadata'),
        exif_policy: flags.text('exif-policy'),
        ...kindOf(call),
      };
      return await perform(cli, rows['assets.put'], asked, { approval: () => approval });
    } catch (error) {
      throw asFailure(error, call.exitWith);
    } finally {
      bar.end();
    }
  },
};

const get: Command = {
  words: 'assets get',
  summary: 'Write the bytes of an asset into a file.',
  positionals: [{ name: 'key', about: rows['assets.get'].inputs.key.about }],
  flags: [
    { name: 'output', type: 'string', placeholder: 'file', about: 'The file: the end of the key unless told.' },
    projectFlag,
  ],
  examples: [['A copy', 'assets get images/logo.png --output logo.png']],
  operations: ['assets.get'],
  async run(call) {
    const { cli, positionals, flags } = call;
    const project = await projectOf(call);
    const key = positionals.key!;
    const output = flags.text('output') ?? basename(key);
    const path = `/storage/v1/blob/${encodeURIComponent(key)}`;
    const { size, headers } = await saveAnswer(
      cli,
      { method: 'GET', path, query: { project_id: project }, project },
      output,
    );
    return {
      key,
      output,
      size_bytes: size,
      content_type: headers.get('content-type'),
      sha256: headers.get('x-svc-content-sha256'),
    };
  },
};

interface Prune {
  readonly base_revision: string;
  readonly delete_set_digest: string;
  readonly expected_delete_count: number;
  readonly sample_keys: readonly string[];
}

/** Keys below a prefix that are not put, in order. A plan shows the first of them alone. */
async function keysToPrune(
  { cli }: Call,
  project: string,
  prefix: string,
  puts: readonly { readonly key: string }[],
): Promise<readonly string[]> {
  const kept = new Set(puts.map(({ key }) => key));
  const gone: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = (await perform(cli, rows['assets.ls'], { project, prefix, limit: 1_000, cursor })) as {
      readonly blobs: readonly { readonly key: string }[];
      readonly next_cursor: string | null;
    };
    gone.push(...page.blobs.map(({ key }) => key).filter((key) => !kept.has(key)));
    cursor = page.next_cursor;
  }
  return gone;
}

const sync: Command = {
  words: 'assets sync',
  summary: 'Make a folder the assets below a prefix.',
  about: [
    'All of it is visible at one moment. With --prune what is below the prefix and not in the folder is deleted: without --confirm it only tells what that would be.',
  ],
  positionals: [{ name: 'folder', about: 'The folder. Keys are its paths, after the prefix.' }],
  flags: [
    { name: 'prefix', type: 'string', required: true, about: 'What the keys begin with, for example `images/`.' },
    { name: 'prune', type: 'boolean', about: 'Delete what is below the prefix and not in the folder.' },
    { name: 'confirm', type: 'boolean', about: 'Do the deletion that --prune tells.' },
    ...kindFlags,
    ...deployFlags,
  ],
  examples: [
    ['Pictures of a site', 'assets sync images --prefix images/'],
    ['What it would do', 'assets sync images --prefix images/ --prune --plan'],
    ['Without those that are gone', 'assets sync images --prefix images/ --prune --confirm'],
  ],
  exits: { 3: 'The deploy failed; what it failed with is on standard error.' },
  operations: ['deploys.plan', 'deploys.commit'],
  async run(call) {
    const { cli, positionals, flags } = call;
    const project = await projectOf(call);
    const prefix = flags.text('prefix')!;
    const folder = resolve(cli.cwd, positionals.folder!);
    const paths = await walkFolder(folder).catch((error: unknown) => {
      throw asFailure(error, call.exitWith);
    });
    const puts = paths.map((path) => ({ key: prefix + path, source: resolve(folder, path), ...kindOf(call) }));
    const slice = (prune?: Omit<Prune, 'sample_keys'> | true) => ({
      assets: {
        put: puts,
        ...(prune === undefined
          ? {}
          : { sync: { prefix, prune: true, ...(prune === true ? {} : { confirm: prune }) } }),
      },
    });
    if (!flags.is('prune')) return runDeploy(call, project, slice(), '.');
    if (flags.is('plan')) return runDeploy(call, project, slice(true), '.');
    const way = await connection(cli, { project, approval: { action: 'project.deploy', project_id: project } });
    const { plan } = await deploy(way, project, slice(true), { dryRun: true, signal: cli.signal }).catch(
      (error: unknown) => {
        throw asFailure(error, call.exitWith);
      },
    );
    const {
      sample_keys: keys,
      base_revision,
      delete_set_digest,
      expected_delete_count,
    } = (plan as DeployPlanAnswer & { readonly asset_sync: Prune }).asset_sync;
    if (expected_delete_count > 0 && !flags.is('confirm'))
      throw local('PRUNE_CONFIRMATION_REQUIRED', `${expected_delete_count} assets below ${prefix} would be deleted.`, {
        hint: 'Look at them, then give --confirm.',
        details: { prefix, expected_delete_count, sample_keys: keys, folder: relative(cli.cwd, folder) },
      });
    note(cli, `Deleting ${expected_delete_count} assets`);
    const pruned = expected_delete_count > keys.length ? await keysToPrune(call, project, prefix, puts) : keys;
    const confirmed = { base_revision, delete_set_digest, expected_delete_count };
    return { ...(await runDeploy(call, project, slice(confirmed), '.')), pruned };
  },
};

export const group: Group = {
  name: 'assets',
  about: ['svc assets: files of a project, each under a key, served at its hosts below /_blob/.'],
  commands: everyCommand(rows, [
    put,
    get,
    sync,
    operationCommand('assets ls', rows['assets.ls'], {
      takes: [take('project')],
      columns: ['key', 'size_bytes', 'content_type', 'visibility', 'updated_at'],
      examples: [
        ['Pictures', 'assets ls --prefix images/'],
        ['Without those in folders below', 'assets ls --prefix images/ --delimiter /'],
      ],
      empty: 'No assets. Publish one: svc assets put logo.png',
    }),
    operationCommand('assets folders', rows['assets.folders'], {
      takes: [take('project')],
      columns: ['prefix'],
      examples: [['Those below one', 'assets folders --prefix images/']],
      empty: 'No folders here.',
    }),
    operationCommand('assets rm', rows['assets.delete'], {
      takes: [take('project'), take('key')],
      confirm: 'the asset is deleted; addresses of its versions serve for about a day.',
      examples: [['It is not needed any more', 'assets rm images/logo.png --confirm']],
    }),
    operationCommand('assets sign', rows['assets.sign'], {
      takes: [take('project'), take('key')],
      flags: { ttl_seconds: 'ttl' },
      examples: [['For an hour', 'assets sign report.pdf --ttl 3600']],
    }),
    operationCommand('assets diagnose', rows['assets.diagnoseUrl'], {
      takes: [take('project'), take('url')],
      examples: [['What an address serves', 'assets diagnose https://pr-abc.example.com/_blob/logo.png']],
    }),
  ]),
};
