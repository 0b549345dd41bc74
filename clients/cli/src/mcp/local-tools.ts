import { type Arguments, eased, type ListedTool, withDefaults } from './defaults.ts';
import type { Bound, McpBridgeHost } from './host.ts';
import { isObject } from './messages.ts';

interface LocalTool extends ListedTool {
  readonly title: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
}

interface LocalCall {
  readonly tool: LocalTool;
  /** The command that does it. @param usual what this checkout is bound to */
  readonly words: (args: Arguments, usual: Usual) => readonly string[];
  /** Standard input of the command, for values that are not to stand on a command line. */
  readonly input?: (args: Arguments) => string | undefined;
  /** What is wrong with the arguments beyond their types. */
  readonly fault?: (host: McpBridgeHost, args: Arguments) => Fault | undefined;
  /** Whether a project that is not named is the active one. */
  readonly seeksProject?: boolean;
  /** What it means for the calls that follow, once it was done. */
  readonly after?: (host: McpBridgeHost, args: Arguments) => void;
  /** Whether the profile `buyer` has it, too. */
  readonly forBuyers?: boolean;
}

interface Usual extends Bound {
  readonly env: McpBridgeHost['env'];
}

interface Fault {
  readonly field: string;
  readonly reason: string;
}

interface LocalHints {
  readonly required?: readonly string[];
  readonly reads?: boolean;
  readonly destroys?: boolean;
  readonly world?: boolean;
}

const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more });

const local = (
  name: string,
  title: string,
  description: string,
  properties: Readonly<Record<string, unknown>> = {},
  { required = [], reads = false, destroys = false, world = false }: LocalHints = {},
): LocalTool => ({
  name,
  title,
  description,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  annotations: { readOnlyHint: reads, destructiveHint: destroys, idempotentHint: reads, openWorldHint: world },
});

/** An address on this machine itself. */
const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/;

const archivePath = text('A file of this machine, or for a look the folder that one was unpacked to.');
const offline = { type: 'boolean', description: 'Taken, and without effect: no gateway is asked.' };

const identifier = '^[A-Za-z_][A-Za-z0-9_]*$';

/** Words of a flag that was given. */
const flag = (name: string, value: unknown): readonly string[] =>
  value === undefined ? [] : [`--${name}`, typeof value === 'string' ? value : JSON.stringify(value)];

const toggle = (name: string, value: unknown): readonly string[] => (value === true ? [`--${name}`] : []);

const secondsOf = (ms: unknown): number | undefined => (typeof ms === 'number' ? ms / 1_000 : undefined);

/** What is local by nature: files of this machine, and payments that its wallet makes. Contract 04, section 4.2. */
const calls: readonly LocalCall[] = [
  {
    tool: local(
      'init',
      'Set this machine up',
      'Make a wallet for this machine where there is none, and say what is next. It signs calls from then on, so begin with it where a call is refused with AUTH_REQUIRED.',
      {
        rail: text('How it pays.', { enum: ['x402', 'mpp'] }),
      },
    ),
    words: ({ rail }) => ['init', ...(rail === undefined ? [] : [String(rail)])],
    forBuyers: true,
  },
  {
    tool: local(
      'status',
      'Status',
      'The wallet, the active project and the organization of this machine.',
      {},
      { reads: true },
    ),
    words: () => ['status'],
  },
  {
    tool: local('allowance_status', 'Allowance status', 'The wallet that this machine pays from.', {}, { reads: true }),
    words: () => ['allowance', 'status'],
    forBuyers: true,
  },
  {
    tool: local('allowance_create', 'Create the allowance', 'Make a wallet for this machine to pay from.'),
    words: () => ['allowance', 'create'],
  },
  {
    tool: local(
      'allowance_export',
      'Export the allowance',
      'The address of this machine’s wallet, to have it funded.',
      {},
      { reads: true },
    ),
    words: () => ['allowance', 'export'],
    forBuyers: true,
  },
  {
    tool: local(
      'project_use',
      'Use a project',
      'Make a project the active one: calls of this session that name none mean it.',
      { project_id: text('Project, for example prj_0kz3m.') },
      { required: ['project_id'] },
    ),
    words: ({ project_id }) => ['projects', 'get', String(project_id)],
    after: ({ useProject }, { project_id }) => useProject(String(project_id)),
  },
  {
    tool: local(
      'deploy_site_dir',
      'Deploy a folder as the site',
      'Makes a folder of this machine the whole site of a project, as a build leaves it, and waits until it is live. deploy_site takes the files themselves.',
      {
        project: text('Project, for example prj_0kz3m.'),
        dir: text('The folder, meant from where svc mcp runs.'),
        target: text('Where it goes: a project has the one site that is live.', { enum: ['production'] }),
        allow_warning_codes: {
          type: 'array',
          items: { type: 'string', pattern: '^[A-Z_]+$' },
          description: 'Agrees to warnings of these codes.',
        },
      },
      { required: ['project', 'dir'], destroys: true },
    ),
    words: ({ project, dir, allow_warning_codes: codes }) => [
      'sites',
      'deploy-dir',
      String(dir),
      '--project',
      String(project),
      ...(Array.isArray(codes) && codes.length > 0 ? [`--allow-warning=${codes.join(',')}`] : []),
    ],
  },
  {
    tool: local(
      'export_project_archive',
      'Export a project',
      'Begin to export a project into one file that another gateway can import: its schema, rows, files, functions and release, without secrets and credentials. With output_path it waits and writes the file on this machine; with wait it waits alone.',
      {
        project_id: text('Project, for example prj_0kz3m; the active one unless told.'),
        output_path: text(
          'A file of this machine that ends with .svcar. It waits for the archive and writes it there.',
          {
            pattern: '\\.svcar$',
          },
        ),
        scope: text('What is exported: portable-runtime-v1.', { enum: ['portable-runtime-v1'] }),
        auth: text('stubs names the ids of users, who cannot sign in where they arrive; none leaves users out.', {
          enum: ['stubs', 'none'],
        }),
        consistency: text('Either: all is of one moment, and no writer waits.', {
          enum: ['pause-writes', 'cloud_write_pause_v1'],
        }),
        idempotency_key: text('The same export under the same key is begun once.'),
        wait: { type: 'boolean', description: 'Wait until the archive is ready.' },
        poll_interval_ms: { type: 'integer', minimum: 1, description: 'How often it is looked at: 1000 unless told.' },
        timeout_ms: { type: 'integer', minimum: 1, description: 'How long it is waited for: 600000 unless told.' },
      },
      { required: ['project_id'] },
    ),
    seeksProject: true,
    // What a model names may be overwritten: only an archive is.
    fault: (_host, { output_path: path }) =>
      typeof path === 'string' && !path.endsWith('.svcar')
        ? { field: 'output_path', reason: 'must end with .svcar' }
        : undefined,
    words: ({ project_id, output_path, scope, auth, consistency, idempotency_key, wait, ...ms }) => [
      'projects',
      'export',
      String(project_id),
      ...flag('output', output_path),
      ...flag('scope', scope),
      ...flag('auth', auth),
      ...flag('consistency', consistency),
      ...flag('idempotency-key', idempotency_key),
      ...toggle('wait', wait),
      ...flag('poll-interval', secondsOf(ms.poll_interval_ms)),
      ...flag('timeout', secondsOf(ms.timeout_ms)),
    ],
  },
  {
    tool: local(
      'inspect_project_archive',
      'Inspect an archive',
      'What an archive on this machine holds: its tables, files and functions, and what it needs where it is imported. Works offline.',
      { archive_path: archivePath, offline },
      { required: ['archive_path'], reads: true },
    ),
    words: ({ archive_path }) => ['archives', 'inspect', String(archive_path)],
  },
  {
    tool: local(
      'verify_project_archive',
      'Verify an archive',
      'Check an archive on this machine against its own digests and the rules of its form. Works offline.',
      { archive_path: archivePath, offline },
      { required: ['archive_path'], reads: true },
    ),
    words: ({ archive_path }) => ['archives', 'verify', String(archive_path)],
  },
  {
    tool: local(
      'import_project_archive',
      'Import an archive',
      'Make a new project of an archive on this machine. An import never merges into a project, and what fails leaves nothing. dry_run tells first what would be made and which secrets it needs.',
      {
        archive_path: text('The file, meant from where svc mcp runs.'),
        name: text('Name of the project: imported-project unless told.'),
        env_file: text('A file of this machine with values of secrets, a line KEY=value for each.'),
        secret_values: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Values of secrets, by key. They win over those of env_file, and are stored encrypted.',
        },
        core_url: text(
          'A gateway on this machine, the usual one, or that of SVC_CORE_URL, which is also meant where none is named.',
        ),
        dry_run: { type: 'boolean', description: 'Only look at the archive.' },
        require_runnable: {
          type: 'boolean',
          description: 'Refuse it while a secret that the project needs has no value.',
        },
      },
      { required: ['archive_path'] },
    ),
    // Archives and secrets are sent nowhere but where the owner of this machine sends them.
    fault: ({ apiBase, env }, { core_url: url }) =>
      typeof url !== 'string' || loopback.test(url) || [apiBase, env.SVC_CORE_URL].includes(url.replace(/\/+$/, ''))
        ? undefined
        : { field: 'core_url', reason: 'must be a gateway on this machine, or the one of SVC_CORE_URL' },
    input: ({ secret_values: values }) => (values === undefined ? undefined : JSON.stringify(values)),
    words: ({ archive_path, name, env_file, secret_values, core_url, ...asked }, { org_id, env }) => [
      'core',
      'projects',
      'import',
      String(archive_path),
      ...flag('name', name),
      ...flag('env-file', env_file),
      ...(secret_values === undefined ? [] : ['--secret-values', '-']),
      ...flag('core-url', core_url),
      // An organization is of one gateway.
      ...flag('org', core_url === undefined && env.SVC_CORE_URL === undefined ? org_id : undefined),
      ...toggle('dry-run', asked.dry_run),
      ...toggle('require-runnable', asked.require_runnable),
    ],
  },
  {
    tool: local(
      'scaffold_roles',
      'Scaffold roles',
      'Write the table of roles of a project’s users, and the gates of functions that read it. Works offline: nothing is sent anywhere, and nothing is changed until its SQL is run.',
      {
        table: text('Name of the table: user_roles unless told.', { pattern: identifier }),
        user_col: text('Column of the user: user_id unless told.', { pattern: identifier }),
        role_col: text('Column of the role: role unless told.', { pattern: identifier }),
        roles: {
          type: 'array',
          minItems: 1,
          items: { type: 'string' },
          description: 'The roles: admin and member unless told.',
        },
        cache_ttl: {
          type: 'integer',
          minimum: 0,
          maximum: 600,
          description: 'Seconds that a role is remembered: 60 unless told, 0 for not at all.',
        },
      },
      { reads: true },
    ),
    words: ({ table, user_col, role_col, roles, cache_ttl }) => [
      'auth',
      'scaffold-roles',
      ...flag('table', table),
      ...flag('user-col', user_col),
      ...flag('role-col', role_col),
      ...(Array.isArray(roles) ? [`--roles=${roles.join(',')}`] : []),
      ...flag('cache-ttl', cache_ttl),
    ],
  },
  {
    tool: local(
      'pay_url',
      'Pay for an address',
      'Ask for an address on the web, and pay by x402 what it wants, up to a limit.',
      {
        url: text('Address to ask for.', { format: 'uri' }),
        method: text('Method of the request.'),
        body: { description: 'Body of the request: a text, or JSON.', type: ['string', 'object'] },
        idempotency_key: text('The same payment under the same key is made once.'),
        max_usd_micros: { type: 'integer', minimum: 0, description: 'Most that is paid, in millionths of a dollar.' },
      },
      { required: ['url'], world: true },
    ),
    words: ({ url, method, body, idempotency_key, max_usd_micros }) => [
      'pay',
      String(url),
      ...flag('method', method),
      ...flag('body', body),
      ...flag('idempotency-key', idempotency_key),
      ...flag('max-usd-micros', max_usd_micros),
    ],
  },
];

/** The tools of this machine, as they are listed beside the gateway's. @param bound what calls mean that do not say it */
export const localTools = (profile: string | undefined, bound: Bound): readonly ListedTool[] =>
  calls
    .filter(({ forBuyers }) => profile !== 'buyer' || forBuyers === true)
    .map(({ tool, seeksProject }) => (seeksProject === true ? eased(tool, bound) : tool));

/** Tools in place of the commands that a person is told to go on with. */
const nextTools: Readonly<Record<string, string>> = {
  'svc org create': 'create_org',
  'svc projects provision': 'provision_postgres_project',
  'svc status': 'status',
};

/** A document whose `next_step` is a tool, where there is one for its command. */
function withNextTool(document: unknown): unknown {
  if (!isObject(document) || typeof document.next_step !== 'string') return document;
  const step = document.next_step;
  const command = Object.keys(nextTools).find((words) => step.startsWith(words));
  return command === undefined ? document : { ...document, next_step: nextTools[command] };
}

/** The result of a tool of this machine; undefined when there is none of that name. */
export async function callLocal(
  host: McpBridgeHost,
  profile: string | undefined,
  name: string,
  args: Arguments,
): Promise<object | undefined> {
  const call = calls.find(({ tool, forBuyers }) => tool.name === name && (profile !== 'buyer' || forBuyers === true));
  if (call === undefined) return undefined;
  const bound = await host.bound();
  const given = call.seeksProject === true ? withDefaults(call.tool, args, { project_id: bound.project_id }) : args;
  const fault = faultIn(call.tool, given) ?? faultOf(call.fault?.(host, given));
  if (fault !== undefined) return refused(name, fault);
  try {
    const document = await host.run(call.words(given, { ...bound, env: host.env }), call.input?.(given));
    call.after?.(host, given);
    return answered(call.tool.title, profile === 'buyer' ? document : withNextTool(document));
  } catch (error) {
    if (isObject(error) && isObject(error.envelope)) return refused(name, error.envelope);
    throw error;
  }
}

/** What is wrong with the arguments, in the words of an envelope. */
function faultIn({ inputSchema }: ListedTool, args: Arguments): Readonly<Record<string, unknown>> | undefined {
  const { properties = {}, required = [] } = inputSchema;
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  const missing = required.find((name) => args[name] === undefined);
  const wrong = Object.keys(args).find((name) => {
    const { type } = (properties[name] ?? {}) as { readonly type?: string | readonly string[] };
    const is = typeof args[name] === 'number' ? 'integer' : Array.isArray(args[name]) ? 'array' : typeof args[name];
    return type !== undefined && ![type].flat().includes(is);
  });
  // What a person may type as a flag, or as the name of a file to be read, is never meant by a model.
  const sly = Object.keys(args).find((name) => typeof args[name] === 'string' && /^(-|@)/.test(args[name]));
  return faultOf(
    unknown !== undefined
      ? { field: unknown, reason: 'is not known here' }
      : missing !== undefined
        ? { field: missing, reason: 'is required' }
        : wrong !== undefined
          ? { field: wrong, reason: 'is of another type' }
          : sly !== undefined
            ? { field: sly, reason: 'must begin neither with - nor with @' }
            : undefined,
  );
}

const faultOf = (found: Fault | undefined): Readonly<Record<string, unknown>> | undefined =>
  found && envelope('VALIDATION_FAILED', `${found.field}: ${found.reason}`, found);

const envelope = (code: string, message: string, details: object) => ({
  code,
  message,
  category: 'validation',
  retryable: false,
  safe_to_retry: true,
  mutation_state: 'not_started',
  trace_id: null,
  details,
  next_actions: [],
});

/** Data as the gateway's own tools show it. */
export const answered = (title: string, document: unknown): object => ({
  content: [{ type: 'text', text: `**${title}**\n\n\`\`\`json\n${JSON.stringify(document, null, 2)}\n\`\`\`` }],
  structuredContent: isObject(document) ? document : { result: document },
});

const lines = [
  ['Code', 'code'],
  ['Category', 'category'],
  ['Retryable', 'retryable'],
  ['Safe to retry', 'safe_to_retry'],
  ['Mutation state', 'mutation_state'],
  ['Trace', 'trace_id'],
  ['Hint', 'hint'],
] as const;

function refused(name: string, refusal: Readonly<Record<string, unknown>>): object {
  const http = typeof refusal.http === 'number' ? ` (HTTP ${refusal.http})` : '';
  const told = lines.flatMap(([label, member]) =>
    refusal[member] === undefined || refusal[member] === null ? [] : [`${label}: ${String(refusal[member])}`],
  );
  const first = `Error calling ${name}: ${String(refusal.message)}${http}`;
  return {
    content: [{ type: 'text', text: [first, '', ...told].join('\n') }],
    structuredContent: refusal,
    isError: true,
  };
}
