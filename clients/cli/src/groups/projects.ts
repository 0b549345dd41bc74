import { randomUUID } from 'node:crypto';
import { changePreference, parameterName } from '../../../sdk/src/row-dialect.ts';
import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage, Failure, local } from '../failure.ts';
import { keptKeys } from '../files/project-keys.ts';
import { choose, chosen } from '../files/state.ts';
import { linkedProject, linkProject } from '../files/workspace.ts';
import { readInput, readJson, readText } from '../input.ts';
import { keepProject, linkFlag, revealFlag } from '../keep-project.ts';
import { apikeyCredential, fetchKeys, shownKey } from '../keys.ts';
import { apiBase } from '../net/api-base.ts';
import { call } from '../net/gateway.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/projects.ts';
import { findOrg, findProject, orgFlag, projectFlag, requireProject } from '../resolve.ts';
import { draftExpose } from './draft-expose.ts';
import { exportProject } from './export-project.ts';
import { importProject } from './import-project.ts';

const project = {
  name: 'project_id',
  optional: true as const,
  only: /^prj_/,
  about: 'Project, prj_…; else as --project says.',
};

const named = (positionals: Readonly<Record<string, string | undefined>>, flag: string | undefined) => ({
  argument: positionals.project_id,
  '--project': flag,
});

const provision: Command = {
  words: 'projects provision',
  summary: rows['projects.create'].summary,
  about: [
    'Its keys go straight into a file that only you can read, and the project is the one in use from then on. The service key is printed only with --reveal.',
  ],
  flags: [
    { name: 'name', type: 'string', about: rows['projects.create'].inputs.name.about },
    orgFlag,
    linkFlag,
    { name: 'idempotency-key', type: 'string', placeholder: 'key', about: 'The same key makes it once.' },
    revealFlag,
  ],
  examples: [
    ['In the organization in use', 'projects provision --name Shop'],
    ['And work on it in this checkout', 'projects provision --name Shop --link'],
  ],
  operations: ['projects.create'],
  async run({ cli, flags }) {
    const org_id = await findOrg(cli, { '--org': flags.text('org') });
    const { url } = await apiBase(cli);
    // Creates no keys if they cannot be stored.
    await keptKeys(cli, url);
    const made = await perform(
      cli,
      rows['projects.create'],
      { name: flags.text('name'), org_id },
      { flags, approval: () => ({ action: 'org.project.create', org_id }) },
    );
    return keepProject(cli, made as Record<string, unknown>, {
      reveal: flags.is('reveal'),
      link: flags.is('link'),
      name: flags.text('name'),
    });
  },
};

const use: Command = {
  words: 'projects use',
  summary: 'Use a project from now on, for this wallet on this gateway.',
  positionals: [{ name: 'project_id', about: 'Project, prj_…, that you can read.' }],
  flags: [{ name: 'link', type: 'boolean', about: 'Link this checkout to it instead, by `.svc/project.json`.' }],
  examples: [
    ['Use it', 'projects use prj_0kz3m'],
    ['In this checkout', 'projects use prj_0kz3m --link'],
  ],
  async run({ cli, positionals, flags }) {
    const id = await requireProject(cli, { argument: positionals.project_id });
    const { body } = await call(cli, { method: 'GET', path: `/projects/v1/${id}`, project: id });
    if (flags.is('link')) return { project_id: id, name: body.name ?? null, link: await linkProject(cli, id) };
    await choose(cli, (await apiBase(cli)).url, { project_id: id });
    return { project_id: id, name: body.name ?? null };
  },
};

const current: Command = {
  words: 'projects current',
  summary: 'The project that commands go by here, the checkout’s link, and the one that `projects use` chose.',
  examples: [['Which one is it?', 'projects current']],
  async run({ cli }) {
    const [linked, { project_id: used }] = await Promise.all([
      linkedProject(cli),
      apiBase(cli).then(({ url }) => chosen(cli, url)),
    ]);
    return { project_id: (await findProject(cli)) ?? null, linked: linked ?? null, used: used ?? null };
  },
};

const keys: Command = {
  words: 'projects keys',
  summary: rows['projects.getKeys'].summary,
  about: [
    'Fetched and kept on this machine, for commands that need one. What is printed only tells them apart, unless --reveal is given.',
  ],
  positionals: [project],
  flags: [projectFlag, revealFlag],
  examples: [
    ['Keep them here', 'projects keys'],
    ['For a deployment', 'projects keys prj_0kz3m --reveal'],
  ],
  operations: ['projects.getKeys'],
  async run({ cli, positionals, flags }) {
    const id = await requireProject(cli, named(positionals, flags.text('project')));
    const { anon_key, service_key } = await fetchKeys(cli, id);
    const shown = flags.is('reveal')
      ? { anon_key, service_key }
      : { anon_key: shownKey(anon_key), service_key: shownKey(service_key) };
    return { project_id: id, ...shown, keys_saved: true };
  },
};

const vault: Command = {
  words: 'projects vault',
  summary: rows['vaults.find'].summary,
  positionals: [project],
  flags: [projectFlag, { name: 'repo', type: 'string', about: rows['vaults.find'].inputs.repo.about }],
  examples: [
    ['Of the project in use', 'projects vault'],
    ['Of an address', 'projects vault --repo acme/shop'],
  ],
  operations: ['vaults.find'],
  async run({ cli, positionals, flags }) {
    const repo = flags.text('repo');
    const of =
      repo === undefined ? { project: await requireProject(cli, named(positionals, flags.text('project'))) } : { repo };
    return perform(cli, rows['vaults.find'], of);
  },
};

const sql: Command = {
  words: 'projects sql',
  summary: rows['projects.sql'].summary,
  positionals: [
    project,
    { name: 'sql', optional: true, rest: true, about: 'One or more statements; - reads them from standard input.' },
  ],
  flags: [
    {
      name: 'file',
      type: 'string',
      placeholder: 'file',
      about: 'The statements from a file, or - for standard input.',
    },
    {
      name: 'params',
      type: 'json',
      placeholder: 'json',
      about: 'Values of $1 and so on, of a single statement, as a JSON list.',
    },
    { name: 'as', type: 'string', choices: ['anon', 'authenticated'], about: 'Try it as a caller with this role.' },
    { name: 'user', type: 'string', placeholder: 'user', about: 'Id or address of the user, for authenticated.' },
    { name: 'rollback', type: 'boolean', about: 'Run everything and keep nothing.' },
    { name: 'each', type: 'boolean', about: 'Show the result of every statement.' },
    { name: 'idempotency-key', type: 'string', placeholder: 'key', about: 'The same key runs it once.' },
    projectFlag,
  ],
  examples: [
    ['A question', 'projects sql "select count(*) from notes"'],
    ['With values', `projects sql "insert into notes (text) values (\\$1)" --params '["hello"]'`],
    ['A file', 'projects sql --file schema.sql'],
    ['What do visitors see?', 'projects sql "select * from notes" --as anon'],
    ['Try a change', 'projects sql "delete from notes where id < 10" --rollback'],
  ],
  operations: ['projects.sql'],
  human: 'sql',
  async run({ cli, positionals, flags }) {
    const id = await requireProject(cli, named(positionals, flags.text('project')));
    const file = flags.text('file') ?? (positionals.sql === '-' ? '-' : undefined);
    if ((file === undefined) === (positionals.sql === undefined || positionals.sql === '-'))
      throw badUsage('Give either statements or --file.', { field: 'sql' });
    const text = file === undefined ? positionals.sql : await readText(cli, file);
    const params = await readInput(cli, flags.value('params'), 'params');
    const [role, user] = [flags.text('as'), flags.text('user')];
    if (user !== undefined && role === undefined)
      throw badUsage('--user goes with --as authenticated.', { field: 'user' });
    const how = {
      ...(role !== undefined && {
        as: { role, ...(user !== undefined && { [user.includes('@') ? 'email' : 'user']: user }) },
      }),
      ...(flags.is('rollback') && { rollback: true }),
      ...(flags.is('each') && { each: true }),
    };
    try {
      return await perform(cli, rows['projects.sql'], { project: id, sql: text, params, ...how }, { flags });
    } catch (error) {
      throw error instanceof Failure ? new Failure(error.envelope, error.exitCode, text) : error;
    }
  },
};

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

const rest: Command = {
  words: 'projects rest',
  summary: 'Read or change rows of a table, as an application would.',
  about: [
    'The anon key sees what the manifest shows to everybody; --key service sees all. Filters are written as in a URL, for example `id=eq.17&select=id,text&order=id.desc&limit=5`.',
  ],
  positionals: [project, { name: 'table', about: 'Table, view, or rpc/<function>.' }],
  flags: [
    { name: 'method', type: 'string', choices: methods, about: 'GET unless told, and POST where there is a body.' },
    { name: 'query', type: 'string', placeholder: 'filters', about: 'Filters, columns, order and limit.' },
    {
      name: 'max-affected',
      type: 'integer',
      placeholder: 'rows',
      about: 'The most rows that PATCH or DELETE may change: where there are more, none is.',
    },
    { name: 'body', type: 'json', placeholder: 'json', about: 'A row, or a list of rows. @file reads it from a file.' },
    {
      name: 'key',
      type: 'string',
      choices: ['anon', 'service'],
      about: 'Which of the project’s keys: anon unless told.',
    },
    {
      name: 'idempotency-key',
      type: 'string',
      placeholder: 'key',
      about: 'Names the change: sent again under the same key, it is not made again. A new one each time unless told.',
    },
    {
      name: 'user-token',
      type: 'string',
      placeholder: 'token',
      about: 'Access token of a user of the project; - reads it from standard input.',
    },
    projectFlag,
  ],
  examples: [
    ['The last five', 'projects rest notes --query "order=id.desc&limit=5"'],
    ['A new row', `projects rest notes --body '{"text":"hello"}' --key service`],
    ['Delete one', 'projects rest notes --method DELETE --query "id=eq.17" --key service'],
  ],
  human: 'data',
  async run({ cli, positionals, flags }) {
    const id = await requireProject(cli, named(positionals, flags.text('project')));
    const body = await readInput(cli, flags.value('body'), 'body');
    const method = flags.text('method') ?? (body === undefined ? 'GET' : 'POST');
    const kind = flags.text('key') === 'service' ? 'service' : 'anon';
    const token = flags.text('user-token') === '-' ? (await readText(cli, '-')).trim() : flags.text('user-token');
    const table = positionals.table!.split('/').map(encodeURIComponent).join('/');
    const most = flags.value('max-affected');
    const given = [...new URLSearchParams(flags.text('query') ?? '')];
    const query = given.map(([name, value]) => [parameterName(name, value), value]);
    const path = `${kind === 'service' ? '/admin/v1/rest' : '/rest/v1'}/${table}`;
    const search = new URLSearchParams(query).toString();
    const { body: answer, status } = await call<unknown>(cli, {
      method,
      path: search === '' ? path : `${path}?${search}`,
      body,
      ...(method === 'GET'
        ? {}
        : {
            headers: { prefer: changePreference(most === undefined ? undefined : Number(most)) },
            idempotencyKey: flags.text('idempotency-key') ?? randomUUID(),
          }),
      credential: await apikeyCredential(cli, id, kind, token),
    });
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer) && Object.keys(answer).length === 0
      ? { status, done: true }
      : answer;
  },
};

const manifestOf = async (
  cli: Parameters<typeof readJson>[0],
  file: string | undefined,
  inline: string | undefined,
) => {
  if ((file === undefined) === (inline === undefined))
    throw badUsage('Give the manifest either as an argument or by --file.', { field: 'manifest' });
  if (file !== undefined) return readJson(cli, file, 'file');
  try {
    return JSON.parse(inline!) as unknown;
  } catch {
    throw local('BAD_JSON', 'The manifest is no JSON.', { field: 'manifest', hint: 'A file is named with --file.' });
  }
};

const fileFlag = {
  name: 'file',
  type: 'string' as const,
  placeholder: 'file',
  about: 'The manifest from a file, or - for standard input.',
};
const manifest = { name: 'manifest', optional: true as const, about: 'The manifest as JSON.' };

const applyExpose: Command = {
  words: 'projects apply-expose',
  summary: rows['projects.applyExpose'].summary,
  positionals: [project, manifest],
  flags: [fileFlag, projectFlag],
  examples: [['From a file', 'projects apply-expose --file expose.json']],
  operations: ['projects.applyExpose'],
  async run({ cli, positionals, flags }) {
    const id = await requireProject(cli, named(positionals, flags.text('project')));
    const value = await manifestOf(cli, flags.text('file'), positionals.manifest);
    return perform(cli, rows['projects.applyExpose'], { project: id, manifest: value });
  },
};

const validateExpose: Command = {
  words: 'projects validate-expose',
  summary: 'What is wrong with a manifest in front of a project’s database, or of an empty one; nothing is run.',
  about: ['Findings are an answer, not a failure: look at `has_errors`.'],
  positionals: [project, manifest],
  flags: [
    fileFlag,
    {
      name: 'migration',
      type: 'string',
      placeholder: 'file',
      about: 'SQL that will have run before the manifest is applied.',
    },
    { name: 'no-project', type: 'boolean', about: 'Hold it against an empty database.' },
    projectFlag,
  ],
  examples: [
    ['Against the project in use', 'projects validate-expose --file expose.json'],
    ['Before there is one', 'projects validate-expose --file expose.json --migration schema.sql --no-project'],
  ],
  operations: ['projects.validateExpose', 'projects.validateManifest'],
  async run({ cli, positionals, flags }) {
    const value = await manifestOf(cli, flags.text('file'), positionals.manifest);
    const file = flags.text('migration');
    const inputs = { manifest: value, migration_sql: file === undefined ? undefined : await readText(cli, file) };
    const id = flags.is('no-project') ? undefined : await findProject(cli, named(positionals, flags.text('project')));
    if (id === undefined) return perform(cli, rows['projects.validateManifest'], inputs);
    return perform(cli, rows['projects.validateExpose'], { project: id, ...inputs });
  },
};

export const group: Group = {
  name: 'projects',
  about: [
    'svc projects: a project has a PostgreSQL database of its own, keys, users and a room. Name one with --project, or first as prj_…; else it is that of SVC_PROJECT_ID, the checkout’s link, or `projects use`.',
  ],
  commands: everyCommand(rows, [
    provision,
    operationCommand('projects list', rows['projects.list'], {
      seek: false,
      flags: { include: null, after: 'cursor' },
      more: [{ name: 'include-archived', type: 'boolean', about: 'Those that were put away, too.' }],
      set: ({ flags }) => (flags.is('include-archived') ? { include: 'archived' } : {}),
      examples: [['All you can see', 'projects list']],
      columns: ['id', 'name', 'tier', 'effective_status', 'created_at'],
      empty: 'No projects yet. Create one: svc projects provision --name Notes',
    }),
    operationCommand('projects get', rows['projects.get'], {
      takes: [take('project')],
      examples: [['The one in use', 'projects get']],
    }),
    use,
    current,
    operationCommand('projects rename', rows['projects.rename'], {
      takes: [take('project'), take('name', { rest: true })],
      examples: [['Another name', 'projects rename prj_0kz3m The new shop']],
    }),
    operationCommand('projects repo-name', rows['projects.setRepoName'], {
      takes: [take('project'), take('name')],
      examples: [['Its address form', 'projects repo-name shop']],
    }),
    operationCommand('projects max-affected', rows['projects.setMaxAffected'], {
      takes: [take('project')],
      examples: [
        ['At most a hundred rows', 'projects max-affected --rows 100'],
        ['No bound', 'projects max-affected'],
      ],
    }),
    operationCommand('projects delete', rows['projects.delete'], {
      takes: [take('project')],
      confirm: 'The project is deleted with its database, keys and names, for good.',
      examples: [['For good', 'projects delete prj_0kz3m --confirm']],
    }),
    keys,
    vault,
    sql,
    draftExpose,
    exportProject,
    importProject,
    rest,
    operationCommand('projects schema', rows['projects.schema'], {
      human: 'schema',
      empty: 'No tables yet. Create one: svc projects sql "create table notes (id serial primary key, text text)"',
      takes: [take('project')],
      examples: [['What is in it', 'projects schema']],
    }),
    operationCommand('projects usage', rows['projects.getUsage'], {
      takes: [take('project')],
      examples: [['What it uses', 'projects usage']],
    }),
    applyExpose,
    validateExpose,
    operationCommand('projects get-expose', rows['projects.expose'], {
      takes: [take('project')],
      examples: [['What it shows', 'projects get-expose']],
    }),
    operationCommand('projects promote-user', rows['users.promote'], {
      takes: [take('project'), take('email')],
      examples: [['An admin', 'projects promote-user ada@example.com']],
    }),
    operationCommand('projects demote-user', rows['users.demote'], {
      takes: [take('project'), take('email')],
      examples: [['A user like others', 'projects demote-user ada@example.com']],
    }),
    operationCommand('projects quote', rows['tiers.quote'], { examples: [['Before paying', 'projects quote']] }),
  ]),
};
