import type { Failure } from './failure.ts';
import { isObject, quiet } from './human-values.ts';

/** Most of a line of SQL that is shown before and behind a mistake, in characters. */
const aroundMax = 60;

/** A refusal for people: what went wrong, where, and what can be done. */
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
  // Another program than the gateway may have answered.
  return quiet(text);
}

interface Action {
  readonly command?: string;
  readonly why?: string;
  readonly type?: string;
}

const actionText = ({ command, why, type = '' }: Action): string =>
  [command, why].filter((part) => part !== undefined).join(': ') || type.replaceAll('_', ' ');

/** The line of SQL that is wrong, with a mark below the place. */
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
