import { bars, type Counts } from './bars.ts';
import { humanText, quiet, table } from './human.ts';

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

/** Messages as a conversation: who said what, when, and what goes with it. */
function messagesText({
  messages,
  has_more,
}: {
  readonly messages: readonly Message[];
  readonly has_more?: boolean;
}): string {
  if (messages.length === 0) return 'Nothing was said.';
  return [...messages.map(messageText), ...(has_more === true ? ['There is more: call it again.'] : [])].join('\n\n');
}

function messageText(message: Message): string {
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

/** What `doctor` found, a line for each check, and what each finding is about. */
function checksText(
  { ok, checks }: { readonly ok: boolean; readonly checks: readonly Check[] },
  width: number,
): string {
  const widest = Math.max(...checks.map(({ name }) => name.length));
  const room = Math.max(20, width - widest - 12);
  const indent = ' '.repeat(widest + 12);
  return [
    ...checks.flatMap(({ name, status, value, hint, message }) => [
      `${status.padEnd(8)}  ${name.padEnd(widest)}  ${cut(quiet(message ?? valueText(value)), room)}`.trimEnd(),
      ...(hint === undefined ? [] : [`${indent}${quiet(hint)}`]),
      ...detailsOf(value).map(
        ({ file, line, code, message: what }) => `${indent}${quiet(`${file}:${line} ${code}: ${what}`)}`,
      ),
    ]),
    ok ? 'All is well.' : 'Something has to be seen to.',
  ].join('\n');
}

const detailsOf = (value: unknown): readonly Finding[] =>
  ((value as { details?: readonly Finding[] } | undefined)?.details ?? []) as readonly Finding[];

const valueText = (value: unknown): string =>
  Object.entries(typeof value === 'object' && value !== null ? value : {})
    .filter(([name, one]) => name !== 'details' && one !== null)
    .map(([name, one]) => `${name.replaceAll('_', ' ')} ${typeof one === 'object' ? JSON.stringify(one) : one}`)
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

/** The verdict in a sentence, and the failures below it; one failure as it is. */
function failuresText(page: Failures | Readonly<Record<string, unknown>>, width: number): string {
  if (!('verdict' in page)) return humanText(page, width);
  const { verdict, counts: total, errors, has_more } = page as Failures;
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
                ...(counts && { [`by_the_${counts.bucket}`]: bars(counts, 24) }),
                function: name,
                kind,
                failure: `${error_name}: ${message_template}`,
                last_seen,
                fingerprint_id,
              }),
            ),
            width,
          ),
        ]),
    ...(has_more ? ['There are more: --cursor takes next_cursor of the JSON.'] : []),
  ].join('\n');
}

/** Forms for people of results that are no list of things. */
export const humanForms = { messages: messagesText, checks: checksText, failures: failuresText } as const;
