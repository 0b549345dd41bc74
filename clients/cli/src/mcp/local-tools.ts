import type { Arguments, ListedTool } from './defaults.ts';
import type { McpBridgeHost } from './host.ts';
import { isObject } from './messages.ts';

interface LocalTool extends ListedTool {
  readonly title: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
}

interface LocalCall {
  readonly tool: LocalTool;
  /** The command that does it. */
  readonly words: (args: Arguments) => readonly string[];
  /** What it means for the calls that follow, once it was done. */
  readonly after?: (host: McpBridgeHost, args: Arguments) => void;
  /** Whether the profile `buyer` has it, too. */
  readonly forBuyers?: boolean;
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

const identifier = '^[A-Za-z_][A-Za-z0-9_]*$';

/** Words of a flag that was given. */
const flag = (name: string, value: unknown): readonly string[] =>
  value === undefined ? [] : [`--${name}`, typeof value === 'string' ? value : JSON.stringify(value)];

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

/** The tools of this machine, as they are listed beside the gateway's. */
export const localTools = (profile: string | undefined): readonly ListedTool[] =>
  calls.filter(({ forBuyers }) => profile !== 'buyer' || forBuyers === true).map(({ tool }) => tool);

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
  const fault = faultIn(call.tool, args);
  if (fault !== undefined) return refused(name, fault);
  try {
    const document = await host.run(call.words(args));
    call.after?.(host, args);
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
  const found =
    unknown !== undefined
      ? { field: unknown, reason: 'is not known here' }
      : missing !== undefined
        ? { field: missing, reason: 'is required' }
        : wrong !== undefined
          ? { field: wrong, reason: 'is of another type' }
          : sly !== undefined
            ? { field: sly, reason: 'must begin neither with - nor with @' }
            : undefined;
  return found && envelope('VALIDATION_FAILED', `${found.field}: ${found.reason}`, found);
}

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
