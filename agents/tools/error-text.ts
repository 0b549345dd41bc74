import type { NextAction } from '../../core/errors.ts';

/** A refusal as tools answer it; members beside these are told, too. */
export interface Refused {
  readonly message?: unknown;
  readonly [member: string]: unknown;
}

/** The lines of a refusal after its first, in their order, each with the member that it tells. Contract 04, section 4.1. */
const lines: readonly (readonly [string, string])[] = [
  ['Code', 'code'],
  ['Category', 'category'],
  ['Retryable', 'retryable'],
  ['Safe to retry', 'safe_to_retry'],
  ['Attempts', 'attempts'],
  ['Max retries', 'max_retries'],
  ['Last retry code', 'last_retry_code'],
  ['Mutation state', 'mutation_state'],
  ['Trace', 'trace_id'],
];

const lastLines: readonly (readonly [string, string])[] = [
  ['Hint', 'hint'],
  ['Retry after', 'retry_after'],
  ['Expires', 'expires_at'],
  ['Renew URL', 'renew_url'],
  ['Usage', 'usage'],
  ['Lifecycle', 'lifecycle_state'],
];

const stepsByCode: Readonly<Record<string, string>> = {
  AUTH_REQUIRED:
    'Have the host send a credential: a delegate token as Authorization: Bearer, made by svc delegates create --for agent, or a project’s key as apikey. Or have it run svc mcp, which signs each call with a wallet of its machine: its tool init makes one.',
  INVALID_AUTH: 'Make a new credential and send the call again.',
  NOT_AUTHORIZED: 'Ask an owner for the role or the grant that details names; the id may also be wrong.',
  ADMIN_REQUIRED: 'Leave this to the platform’s admin.',
  STEP_UP_REQUIRED: 'A person has to prove their passkey anew first.',
  VALIDATION_FAILED: 'Correct the arguments that details names and call again.',
  PROJECT_FROZEN: 'Renew the tier with set_tier.',
  IDEMPOTENCY_KEY_REQUIRED: 'Choose an idempotency_key and call again with it.',
  IDEMPOTENCY_KEY_REUSED: 'Choose another idempotency_key: this one stands for another call.',
  RATE_LIMITED: 'Wait as long as it says, then call again.',
};

const stepsByStatus: Readonly<Record<number, string>> = {
  400: 'Correct the arguments and call again.',
  401: 'Sign in, then call again.',
  402: 'Pay what is asked, then call again.',
  403: 'This credential may not do that; another one may.',
  404: 'Look the id up: there is no such thing, or not any more.',
  409: 'Read how things stand now, then decide anew.',
  429: 'Wait, then call again.',
};

const credentialNames: Readonly<Record<string, string>> = {
  wallet: 'a wallet’s signature, which svc mcp makes',
  control_plane: 'a person’s session',
  operator: 'a person’s session that only reads',
  delegate: 'a delegate token',
};

/** The next step of a caller whose kind of credential was refused, and no credential was missing. */
function otherCredential({ code, details, next_actions }: Refused): string | undefined {
  if (code === 'NOT_AUTHORIZED' || code === 'FORBIDDEN')
    return Array.isArray(next_actions) && next_actions.length > 0
      ? 'Ask the owner of the project for a credential that the next actions name.'
      : undefined;
  const accepted = (details as { readonly accepted?: readonly string[] } | undefined)?.accepted;
  if (code !== 'AUTH_REQUIRED' || accepted === undefined) return undefined;
  return `Leave this to somebody with ${accepted.map((kind) => credentialNames[kind] ?? kind).join(' or ')}.`;
}

const stepFor = (refused: Refused, status: number): string =>
  otherCredential(refused) ??
  stepsByCode[String(refused.code)] ??
  stepsByStatus[status] ??
  (status >= 500 ? 'Call again after a pause; tell the operator the trace when it stays.' : 'See details.');

/** Where SQL went wrong, and the words of PostgreSQL beside its message. */
function sqlLines({ details }: Refused): readonly string[] {
  if (typeof details !== 'object' || details === null) return [];
  const { sqlstate, detail, position, location } = details as Readonly<Record<string, unknown>>;
  if (typeof sqlstate !== 'string') return [];
  const at = location as { readonly line: number; readonly column: number } | undefined;
  return [
    `SQLSTATE: ${sqlstate}`,
    ...(typeof position === 'number'
      ? [`Position: ${at === undefined ? '' : `line ${at.line}, column ${at.column}, `}character ${position}`]
      : []),
    ...(typeof detail === 'string' ? [`Detail: ${detail}`] : []),
  ];
}

const shown = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

const told = (refused: Refused, [label, member]: readonly [string, string]): readonly string[] =>
  refused[member] === undefined || refused[member] === null ? [] : [`${label}: ${shown(refused[member])}`];

const actionLine = ({ type, method, path, command, why }: NextAction): string => {
  const target = [method, path ?? command].filter((part) => part !== undefined).join(' ');
  return `- ${type}${target === '' ? '' : `: ${target}`}${why === undefined ? '' : ` (${why})`}`;
};

/** What a model reads of a refusal. Contract 04, section 4.1. */
export function errorText(tool: string, refused: Refused, status: number): string {
  const actions = Array.isArray(refused.next_actions) ? (refused.next_actions as readonly NextAction[]) : [];
  return [
    `Error calling ${tool}: ${shown(refused.message)} (HTTP ${status})`,
    '',
    ...lines.flatMap((line) => told(refused, line)),
    ...sqlLines(refused),
    ...(actions.length === 0 ? [] : ['Next actions:', ...actions.map(actionLine)]),
    ...lastLines.flatMap((line) => told(refused, line)),
    '',
    `Next step: ${stepFor(refused, status)}`,
  ].join('\n');
}
