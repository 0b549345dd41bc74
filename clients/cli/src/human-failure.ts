import type { Failure } from './failure.ts';
import { isObject, quiet } from './human-values.ts';

/** Maximum number of characters of a line of SQL shown on each side of an error. */
const aroundMax = 60;

/** Formats a refusal for people: the error, its place, and the next action. */
export function humanFailure({ envelope, sql }: Pick<Failure, 'envelope' | 'sql'>): string {
  const { code, message, hint, next_actions, trace_id } = envelope;
  const details = isObject(envelope.details) ? envelope.details : {};
  const { sqlstate, detail, location, reason, required_role } = details;
  const actions = (Array.isArray(next_actions) ? next_actions : []) as readonly Action[];
  const text = [
    `svc: ${message} (${typeof sqlstate === 'string' ? `${code}, ${sqlstate}` : code})`,
    ...(sql === undefined ? [] : excerpt(sql, location)),
    ...(typeof sqlstate === 'string' && typeof detail === 'string' ? [`  Detail: ${detail}`] : []),
    ...(reason === 'forbidden' && typeof required_role === 'string' ? [`  It takes the role ${required_role}.`] : []),
    ...(typeof hint === 'string' ? [`  ${typeof sqlstate === 'string' ? 'Hint: ' : ''}${hint}`] : []),
    ...actions
      .map(actionText)
      .filter((line) => line !== '')
      .map((line) => `  ${line}`),
    ...(typeof trace_id === 'string' ? [`  trace ${trace_id}`] : []),
    '',
  ].join('\n');
  // The text may come from a program other than the gateway.
  return quiet(text);
}

interface Action {
  readonly command?: string;
  readonly why?: string;
  readonly type?: string;
}

const actionText = ({ command, why, type = '' }: Action): string =>
  [command, why].filter((part) => part !== undefined).join(': ') || type.replaceAll('_', ' ');

/** The line of SQL with the error, and a mark below the place. */
function excerpt(sql: string, location: unknown): readonly string[] {
  if (!isObject(location)) return [];
  const { line, column } = location as { readonly line: number; readonly column: number };
  const characters = Array.from((sql.split('\n')[line - 1] ?? '').replace(/\p{Cc}/gu, ' '));
  const from = Math.max(0, column - 1 - aroundMax);
  const part = characters.slice(from, column - 1 + aroundMax).join('');
  const [before, number] = [from === 0 ? '' : '…', `  ${line} | `];
  return [
    `  at line ${line}, column ${column}`,
    `${number}${before}${part}`,
    `${' '.repeat(number.length - 2)}| ${' '.repeat(before.length + column - 1 - from)}^`,
  ];
}
