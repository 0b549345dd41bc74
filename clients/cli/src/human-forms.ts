import { bars, type Counts } from './bars.ts';
import { humanText, moreLine, type Shown } from './human.ts';
import { table, wrapped } from './human-table.ts';
import { quiet } from './human-values.ts';
import { rehearsalText } from './rehearsal-text.ts';

interface Message {
  readonly sender: string;
  readonly created_at: string;
  readonly body?: string;
  readonly body_snippet?: string;
  readonly body_truncated?: boolean;
  readonly recipients?: readonly { readonly name?: string }[];
  readonly thread_id?: string | null;
  readonly importance?: string;
  readonly ack_required?: boolean;
  readonly message_id: string;
}

/** Formats messages as a conversation: author, time, text and attachments. */
function messagesText(page: { readonly messages: readonly Message[]; readonly has_more?: boolean }): string {
  if (page.messages.length === 0) return 'No new messages.';
  // The checkout stores the read position.
  return [...page.messages.map(messageText), ...(page.has_more === true ? ['There is more: call it again.'] : [])].join(
    '\n\n',
  );
}

/** A message as a line of a conversation. */
export function messageText(message: Message): string {
  const { sender, created_at, body, body_snippet = '', body_truncated, recipients = [], message_id } = message;
  const to = recipients.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const marks = [
    ...(to.length === 0 ? [] : [`to ${to.join(', ')}`]),
    ...(message.thread_id == null ? [] : [`in ${message.thread_id}`]),
    ...(message.importance === 'high' ? ['high'] : []),
    ...(message.ack_required === true ? ['wants an ack'] : []),
    message_id,
  ];
  const text = body ?? `${body_snippet}${body_truncated === true ? '…' : ''}`;
  return [
    `${quiet(sender)}, ${created_at.slice(0, 16).replace('T', ' ')} (${quiet(marks.join('; '))})`,
    ...quiet(text)
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n');
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly value?: unknown;
  readonly hint?: string;
  readonly message?: string;
}

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** The findings of `doctor`, a line for each check, with details. */
function checksText(
  { ok, checks }: { readonly ok: boolean; readonly checks: readonly Check[] },
  { width }: Shown,
): string {
  const widest = Math.max(...checks.map(({ name }) => name.length));
  const room = Math.max(20, width - widest - 12);
  const indent = ' '.repeat(widest + 12);
  const within = (text: string) => wrapped(text, room, Number.POSITIVE_INFINITY).join(`\n${indent}`);
  return [
    ...checks.flatMap(({ name, status, value, hint, message }) => [
      `${status.padEnd(8)}  ${name.padEnd(widest)}  ${within(quiet(message ?? valueText(value)))}`.trimEnd(),
      ...(hint === undefined ? [] : [`${indent}${within(quiet(hint))}`]),
      ...detailsOf(value).map(
        ({ file, line, code, message: what }) => `${indent}${quiet(`${file}:${line} ${code}: ${what}`)}`,
      ),
    ]),
    '',
    summaryOf(ok, checks),
  ].join('\n');
}

/** Counts the checks with problems. */
function summaryOf(ok: boolean, checks: readonly Check[]): string {
  const warnings = checks.filter(({ status }) => status === 'warning').length;
  const problems = ok ? 0 : checks.filter(({ status }) => !fine.has(status)).length;
  const counted = [counting(problems, 'problem'), counting(warnings, 'warning')].filter((text) => text !== '');
  return counted.length === 0 ? 'No problems.' : `${counted.join(', ')}.`;
}

const counting = (count: number, name: string): string =>
  count === 0 ? '' : `${count} ${name}${count === 1 ? '' : 's'}`;

/** Statuses without a problem. */
const fine: ReadonlySet<string> = new Set(['ok', 'warning', 'skipped', 'unknown']);

const detailsOf = (value: unknown): readonly Finding[] =>
  ((value as { details?: readonly Finding[] } | undefined)?.details ?? []) as readonly Finding[];

const valueText = (value: unknown): string =>
  Object.entries(typeof value === 'object' && value !== null ? value : {})
    .filter(([name, one]) => name !== 'details' && one !== null)
    .map(
      ([name, one]) =>
        `${name.replaceAll('_', ' ')} ${Array.isArray(one) ? one.join(' and ') : typeof one === 'object' ? JSON.stringify(one) : one}`,
    )
    .join(', ');

const cut = (text: string, room: number): string => (text.length > room ? `${text.slice(0, room - 1)}…` : text);

interface Verdict {
  readonly window: { readonly since: string; readonly until: string };
  readonly compared_release_id: string | null;
  readonly baseline_release_id: string | null;
  readonly new_fingerprints: number;
  readonly recurring_fingerprints: number;
  readonly invocations_in_window: number;
}

interface Failures {
  readonly verdict: Verdict;
  readonly counts?: Counts;
  readonly errors: readonly (Readonly<Record<string, unknown>> & { readonly counts?: Counts })[];
  readonly has_more: boolean;
}

/** The verdict in a sentence, followed by the failures; a single failure is shown in full. */
function failuresText(page: Failures | Readonly<Record<string, unknown>>, shown: Shown): string {
  if (!('verdict' in page)) return humanText(page, shown);
  const { verdict, counts: total, errors } = page as Failures;
  const { window, compared_release_id, baseline_release_id } = verdict;
  const release =
    compared_release_id === null
      ? ''
      : `, in ${compared_release_id}${baseline_release_id === null ? '' : ` compared with ${baseline_release_id}`}`;
  return [
    `${verdict.new_fingerprints} new and ${verdict.recurring_fingerprints} recurring failures in ${verdict.invocations_in_window} invocations${release}.`,
    `From ${window.since} to ${window.until}.`,
    ...(total === undefined ? [] : [`By the ${total.bucket}: ${bars(total, 48)}`]),
    ...(errors.length === 0
      ? []
      : [
          '',
          table(
            errors.map(
              ({ function: name, kind, error_name, message_template, count, last_seen, fingerprint_id, counts }) => ({
                count,
                // The failure precedes its place: beside the bars, a terminal of 80 characters has room for one of
                // them.
                ...(counts && {
                  [`by_the_${counts.bucket}`]: bars(counts, 24),
                  failure: cut(`${error_name}: ${message_template}`, 36),
                }),
                function: name,
                kind,
                ...(!counts && { failure: `${error_name}: ${message_template}` }),
                last_seen,
                fingerprint_id,
              }),
            ),
            { width: shown.width },
          ),
        ]),
    ...moreLine(page as Readonly<Record<string, unknown>>, shown),
  ].join('\n');
}

/** Forms for results that are not lists of resources. */
export const humanForms = {
  messages: messagesText,
  checks: checksText,
  failures: failuresText,
  sql: sqlText,
  data: dataText,
  raised: raisedText,
  schema: schemaText,
  rehearsal: rehearsalText,
} as const;

interface SqlAnswer {
  readonly rows: readonly unknown[];
  readonly row_count: number | null;
  readonly fields: readonly { readonly name: string }[];
  /** The rows as lists, where two columns have one name. */
  readonly values?: readonly (readonly unknown[])[];
  readonly results?: readonly SqlAnswer[];
}

/** Rows of SQL, or the number of changed rows; of every statement where each one is answered. */
function sqlText(answer: SqlAnswer, shown: Shown): string {
  return (answer.results ?? [answer]).map((one) => statementText(one, shown)).join('\n\n');
}

function statementText({ rows, row_count, fields, values }: SqlAnswer, { width }: Shown): string {
  if (fields.length === 0) return row_count === null ? 'Done.' : `Done: ${counting(row_count, 'row') || '0 rows'}.`;
  if (rows.length === 0) return `${fields.map(({ name }) => quiet(name)).join('  ')}\n(0 rows)`;
  const names = distinct(fields.map(({ name }) => name));
  const told = values?.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]]))) ?? rows;
  return `${table(told, { width, isData: true, names })}\n(${counting(rows.length, 'row')})`;
}

/** Names of columns, of which a second one of a name has a number: `id`, `id_2`. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let number = 2; taken.has(own) || (own !== name && names.includes(own)); number++) own = `${name}_${number}`;
    taken.add(own);
    return own;
  });
}

/** Rows of a table as an application receives them. */
function dataText(answer: unknown, shown: Shown): string {
  if (!Array.isArray(answer)) return humanText(answer, shown);
  return answer.length === 0
    ? '(0 rows)'
    : `${table(answer, { width: shown.width, isData: true })}\n(${counting(answer.length, 'row')})`;
}

interface SchemaTable {
  readonly name: string;
  readonly rls_enabled: boolean;
  readonly columns: readonly Readonly<Record<string, unknown>>[];
  readonly constraints: readonly { readonly name: string; readonly definition: string }[];
  readonly policies: readonly { readonly name: string; readonly command: string }[];
}

/** Tables with their columns, constraints and policies. */
function schemaText(
  { schema, tables }: { readonly schema: string; readonly tables: readonly SchemaTable[] },
  shown: Shown,
): string {
  if (tables.length === 0) return shown.empty ?? 'No tables.';
  return tables
    .map(({ name, rls_enabled, columns, constraints, policies }) =>
      [
        `${quiet(`${schema}.${name}`)} (row security ${rls_enabled ? 'on' : 'off'})`,
        table(columns, { width: shown.width }),
        ...constraints.map((one) => quiet(`constraint ${one.name}: ${one.definition}`)),
        ...policies.map((one) => quiet(`policy ${one.name} for ${one.command}`)),
      ].join('\n'),
    )
    .join('\n\n');
}

interface Raised {
  readonly escalation_id: string;
  readonly status: string;
  readonly delivery?: { readonly will_page?: readonly unknown[] };
}

/** A raised escalation. Its first line says whether it reaches anyone. */
function raisedText(raised: Raised & Readonly<Record<string, unknown>>, shown: Shown): string {
  const unheard = raised.status === 'open' && raised.delivery?.will_page?.length === 0;
  return [
    ...(unheard
      ? [
          'No one was paged: the organization has no escalation contact.\nAdd one: svc contacts add <email>\nThen raise it again, or follow it: svc escalations get ' +
            quiet(raised.escalation_id),
        ]
      : []),
    humanText({ ...raised, ...(unheard ? { warnings: null } : {}) }, shown),
  ].join('\n\n');
}
