import { dirname, join, resolve } from 'node:path';
import type { Call, Command, Group } from '../command.ts';
import { readJson } from '../deploy/read-manifest.ts';
import { runDeploy } from '../deploy/run-deploy.ts';
import { badUsage, local } from '../failure.ts';
import { linkedProject } from '../files/workspace.ts';
import { perform } from '../operation-command.ts';
import { rows } from '../operations/deploy.ts';
import { note } from '../progress.ts';
import { orgFlag, projectFlag } from '../resolve.ts';
import { runBuild } from '../up/build.ts';
import { runChecks } from '../up/checks.ts';
import { type AppManifest, readManifest } from '../up/manifest.ts';
import { ensureMailboxes, findOwnProject, orgOfApp, planSecrets, requireSecrets, setSecrets } from '../up/resources.ts';
import { deployFlags, verifyDeploy, verifyExits, verifyFlags } from './deploy.ts';

/** The release of a manifest, with what stands elsewhere in it. */
function releaseOf({ release, project, secrets }: AppManifest): Readonly<Record<string, unknown>> {
  const required = secrets.filter((one) => one.required).map(({ key }) => key);
  const own = (release.secrets ?? {}) as { readonly require?: readonly string[] };
  return {
    ...release,
    ...(project.subdomain === undefined || 'subdomains' in release ? {} : { subdomains: { set: [project.subdomain] } }),
    ...(required.length === 0
      ? {}
      : { secrets: { ...own, require: [...new Set([...(own.require ?? []), ...required])] } }),
  };
}

/** The project that is named, or that the checkout is linked to; undefined where it is to be looked for. @throws BAD_USAGE */
async function namedProject({ cli, flags }: Call, { project }: AppManifest): Promise<string | undefined> {
  const given = flags.text('project');
  if (given !== undefined && project.id !== undefined && given !== project.id)
    throw badUsage(`--project names ${given}, and project.id of the manifest ${project.id}.`, { field: 'project' });
  return given ?? project.id ?? cli.env.SVC_PROJECT_ID ?? (await linkedProject(cli));
}

const up: Command = {
  words: 'up',
  summary: 'Bring an application up as its svc.json says: project, secrets, mailboxes, build, deploy.',
  about: [
    'Makes the project at the first run, and finds it by its name afterwards. Run again, it changes what has changed.',
    'Secrets are read from the environment. Nothing is deleted but what a release leaves out, and that is warned of.',
  ],
  positionals: [{ name: 'source', optional: true, about: 'Folder with the svc.json: this one unless told.' }],
  flags: [
    { name: 'manifest', type: 'string', placeholder: 'file', about: 'The manifest, where it is another file.' },
    { name: 'skip-build', type: 'boolean', about: 'Deploy what was built before.' },
    { name: 'allow-shell-build', type: 'boolean', about: 'Run commands of the build that are lines for the shell.' },
    ...deployFlags,
    orgFlag,
  ],
  examples: [
    ['This folder', 'up'],
    ['What it would do', 'up examples/site --plan'],
    ['With a warning that is agreed to', 'up --allow-warning MIGRATION_LOCK_RISK'],
  ],
  exits: { 3: 'The deploy failed; what it failed with is on standard error.' },
  operations: ['deploys.plan', 'deploys.commit', 'projects.create', 'secrets.set', 'email.createMailbox'],
  async run(call) {
    const { cli, positionals, flags } = call;
    const file = flags.text('manifest') ?? join(positionals.source ?? '.', 'svc.json');
    const manifest = readManifest(await readJson(cli, file));
    const folder = resolve(cli.cwd, dirname(file));
    const isPlan = flags.is('plan');
    const named = await namedProject(call, manifest);
    if (named === undefined && !manifest.project.isOwn)
      throw local('PROJECT_REQUIRED', 'The application shares a project with others, and names none.', {
        hint: 'Give --project, or project.id in svc.json.',
      });
    const org = named === undefined ? await orgOfApp(cli, flags.text('org')) : undefined;
    const found = named ?? (org === undefined ? undefined : await findOwnProject(cli, manifest, org));
    const secrets = await planSecrets(cli, manifest.secrets, found);
    requireSecrets(secrets);
    if (!flags.is('skip-build'))
      await runBuild(cli, folder, manifest.build, { allowShell: flags.is('allow-shell-build') });
    const release = releaseOf(manifest);
    const base = dirname(file);
    if (found === undefined && isPlan)
      return {
        app: manifest.app.id,
        project: { to_make: manifest.project.name ?? manifest.app.name, org_id: org },
        secrets_to_set: secrets.toSet.map(({ key }) => key),
        mailboxes_to_make: manifest.mailboxes.map(({ slug }) => slug),
      };
    const project = found ?? (await makeProject(call, manifest, org));
    if (isPlan)
      return {
        app: manifest.app.id,
        project_id: project,
        secrets_to_set: secrets.toSet.map(({ key }) => key),
        ...(await runDeploy(call, project, release, base)),
      };
    const secretsSet = await setSecrets(cli, project, secrets);
    const mailboxesMade = await ensureMailboxes(cli, project, manifest.mailboxes);
    const deployed = await runDeploy(call, project, release, base);
    const site = typeof deployed.url === 'string' ? deployed.url : undefined;
    return {
      app: manifest.app.id,
      project_id: project,
      project_made: found === undefined,
      secrets_set: secretsSet,
      mailboxes_made: mailboxesMade,
      ...deployed,
      ...(manifest.checks.length === 0 ? {} : { checks: await runChecks(cli, site, manifest.checks) }),
    };
  },
};

const verify: Command = {
  words: 'up verify',
  summary: 'Ask every host whether it answers with the latest deploy of this application.',
  about: [
    'Asks for a few of its pages, as visitors do. With --wait it asks every second until all hosts answer with that release.',
  ],
  flags: [
    { name: 'manifest', type: 'string', placeholder: 'file', about: 'The manifest: the svc.json here unless told.' },
    ...verifyFlags,
    projectFlag,
    orgFlag,
  ],
  exits: verifyExits,
  examples: [
    ['After `svc up`', 'up verify'],
    ['Until it is everywhere', 'up verify --wait --timeout 120'],
  ],
  operations: ['deploys.list', 'deploys.verifyEdge'],
  async run(call) {
    const { cli, flags } = call;
    const manifest = readManifest(await readJson(cli, flags.text('manifest') ?? 'svc.json'));
    const project = (await namedProject(call, manifest)) ?? (await ownProject(call, manifest));
    const newest = await perform(cli, rows['deploys.list'], { project, status: 'ready', limit: 1 });
    const [latest] = newest.operations as readonly { readonly operation_id: string }[];
    if (latest === undefined)
      throw local('OPERATION_NOT_FOUND', 'The application was not deployed yet.', { hint: 'Run: svc up' });
    return verifyDeploy(call, latest.operation_id);
  },
};

/** The project that `svc up` has made of a manifest. @throws PROJECT_REQUIRED */
async function ownProject({ cli, flags }: Call, manifest: AppManifest): Promise<string> {
  const org = await orgOfApp(cli, flags.text('org'));
  const found = org === undefined ? undefined : await findOwnProject(cli, manifest, org);
  if (found !== undefined) return found;
  throw local('PROJECT_REQUIRED', 'The application has no project yet.', { hint: 'Run: svc up' });
}

/** Makes the project, and keeps its keys. */
async function makeProject(
  { cli, perform }: Call,
  { app, project }: AppManifest,
  org: string | undefined,
): Promise<string> {
  const name = project.name ?? app.name;
  note(cli, `Making the project ${name}`);
  const made = (await perform([
    'projects',
    'provision',
    '--name',
    name,
    ...(org === undefined ? [] : ['--org', org]),
  ])) as { project_id: string };
  return made.project_id;
}

export const group: Group = {
  name: 'up',
  about: ['svc up: an application from its svc.json, by one command.'],
  commands: [up, verify],
};
