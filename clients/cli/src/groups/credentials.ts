import type { Command, Group } from '../command.ts';
import { local } from '../failure.ts';
import { forgetKeys, keepKeys, keptKeys } from '../files/project-keys.ts';
import { readJson } from '../input.ts';
import { shownKey } from '../keys.ts';
import { apiBase } from '../net/api-base.ts';
import { projectFlag, requireProject } from '../resolve.ts';
import { projectCredentials } from './project-credentials.ts';

const list: Command = {
  words: 'credentials project-keys list',
  summary: 'Projects whose keys are kept here for this gateway. Shown is only what tells keys apart.',
  examples: [['What is kept', 'credentials project-keys list']],
  async run({ cli }) {
    const { url } = await apiBase(cli);
    const kept = Object.entries(await keptKeys(cli, url));
    return {
      api_base: url,
      projects: kept.map(([project_id, { anon_key, service_key, saved_at }]) => ({
        project_id,
        anon_key: shownKey(anon_key),
        service_key: shownKey(service_key),
        saved_at,
      })),
    };
  },
};

const status: Command = {
  words: 'credentials project-keys status',
  summary: 'Whether the keys of a project are kept here.',
  flags: [projectFlag],
  examples: [['Of the one in use', 'credentials project-keys status']],
  async run({ cli, flags }) {
    const project_id = await requireProject(cli, { '--project': flags.text('project') });
    const kept = (await keptKeys(cli, (await apiBase(cli)).url))[project_id];
    return {
      project_id,
      anon_key: kept?.anon_key !== undefined,
      service_key: kept?.service_key !== undefined,
      saved_at: kept?.saved_at ?? null,
    };
  },
};

const importKeys: Command = {
  words: 'credentials project-keys import',
  summary: 'Keep keys that you were given: JSON with anon_key and service_key, or one of them.',
  flags: [
    { name: 'file', type: 'string', required: true, placeholder: 'file', about: 'The JSON, or - for standard input.' },
    projectFlag,
  ],
  examples: [['From a colleague’s file', 'credentials project-keys import --project prj_0kz3m --file keys.json']],
  async run({ cli, flags }) {
    const project_id = await requireProject(cli, { '--project': flags.text('project') });
    const { anon_key, service_key } = (await readJson(cli, flags.text('file')!, 'file')) as Record<string, unknown>;
    if (
      [anon_key, service_key].some((key) => key !== undefined && typeof key !== 'string') ||
      (anon_key ?? service_key) === undefined
    )
      throw local('BAD_FILE', 'The JSON holds neither anon_key nor service_key as text.', { field: 'file' });
    await keepKeys(cli, (await apiBase(cli)).url, project_id, {
      ...(typeof anon_key === 'string' ? { anon_key } : {}),
      ...(typeof service_key === 'string' ? { service_key } : {}),
    });
    return { project_id, imported: true };
  },
};

const exportKeys: Command = {
  words: 'credentials project-keys export',
  summary: 'Print the keys of a project that are kept here.',
  flags: [
    projectFlag,
    { name: 'reveal', type: 'boolean', about: 'Print them as they are. Nothing is printed without it.' },
  ],
  examples: [['For a deployment', 'credentials project-keys export --reveal']],
  async run({ cli, flags }) {
    const project_id = await requireProject(cli, { '--project': flags.text('project') });
    if (!flags.is('reveal'))
      throw local('REVEAL_REQUIRED', 'The keys would stand on the screen. Give --reveal to print them.', {
        field: 'reveal',
      });
    const kept = (await keptKeys(cli, (await apiBase(cli)).url))[project_id];
    if (kept === undefined)
      throw local('PROJECT_CREDENTIAL_NOT_FOUND', `No key of ${project_id} is kept on this machine.`, {
        details: { project_id },
      });
    return { project_id, anon_key: kept.anon_key ?? null, service_key: kept.service_key ?? null };
  },
};

const remove: Command = {
  words: 'credentials project-keys remove',
  summary: 'Forget the keys of a project on this machine. They stay good on the gateway.',
  flags: [projectFlag],
  examples: [['Forget them', 'credentials project-keys remove --project prj_0kz3m']],
  async run({ cli, flags }) {
    const project_id = await requireProject(cli, { '--project': flags.text('project') });
    return { project_id, removed: await forgetKeys(cli, (await apiBase(cli)).url, project_id) };
  },
};

export const group: Group = {
  name: 'credentials',
  about: [
    'svc credentials: further keys of a project, which can be rotated and revoked by themselves. `project-keys`: keys of projects in a file on this machine that only you can read, for each gateway.',
  ],
  commands: [...projectCredentials, list, status, importKeys, exportKeys, remove],
};
