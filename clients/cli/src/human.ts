import { table } from './human-table.ts';
import { isObject, label, quiet, shownScalar, shownTime, usd } from './human-values.ts';

export interface Shown {
  /** Of the terminal, in characters. */
  readonly width: number;
  /** Columns of tables, in order; JSON has the others. @default all that fit */
  readonly columns?: readonly string[] | undefined;
  /** Shown in place of an empty list. */
  readonly empty?: string | undefined;
  /** The command that reads the next page. @param cursor the start of the next page */
  readonly more?: ((cursor: string) => string | undefined) | undefined;
}

/** Members that describe the position of a page, not its content. */
const paging: ReadonlySet<string> = new Set(['has_more', 'next_cursor', 'cursor', 'reset', 'scope']);

/** Members for programs, without meaning for a person. */
const internal: ReadonlySet<string> = new Set([
  'next_actions',
  'creator',
  'public_id',
  'schema_slot',
  'deduplicated',
  'server_label',
  'body_truncated',
  'schema_version',
]);

/** Members that identify the owner of a list. */
const places: ReadonlySet<string> = new Set(['org_id', 'project_id', 'room_key']);

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Formats a result for people: lists as tables, a single resource as names beside values. */
export function humanText(result: unknown, shown: Shown): string {
  const { width, empty, columns } = shown;
  if (typeof result === 'string') return quiet(result);
  if (Array.isArray(result)) return result.length === 0 ? (empty ?? 'None.') : table(result, { width, names: columns });
  if (!isObject(result)) return String(result);
  const isPage = Object.values(result).some(Array.isArray);
  const entries = Object.entries(result).filter(([name]) => !internal.has(name) && !(isPage && paging.has(name)));
  const all = entries.filter(([, value]) => isEmptyList(value) || (Array.isArray(value) && value.some(isObject)));
  const rest = entries.filter((entry) => !all.includes(entry));
  const lists = all.filter(isFirstOfSame);
  // An empty list is shown where it is the whole answer, and left out where it is one member of a resource.
  const told = rest.every(([name]) => places.has(name)) ? lists : lists.filter(([, rows]) => !isEmptyList(rows));
  const isAlone = rest.length === 0 && told.length === 1;
  const hasNothing = lists.length > 0 && lists.every(([, rows]) => isEmptyList(rows));
  const parts = [
    ...(rest.length === 0 ? [] : [pairs(rest, width)]),
    ...(hasNothing && empty !== undefined
      ? [empty]
      : told.map(([name, rows]) => listText(name, rows as readonly unknown[], { width, columns }, isAlone))),
    ...(isPage ? moreLine(result, shown) : []),
    ...(result.reset === true ? ['The cursor could not be used, so this begins anew.'] : []),
  ];
  return parts.join('\n\n');
}

/** Whether no list before it has the very same rows: some go by an older name, too. */
const isFirstOfSame = ([, rows]: readonly [string, unknown], at: number, all: Entries): boolean =>
  isEmptyList(rows) || all.findIndex(([, other]) => JSON.stringify(other) === JSON.stringify(rows)) === at;

function listText(name: string, rows: readonly unknown[], { width, columns }: Shown, isAlone: boolean): string {
  if (rows.length === 0) return `No ${label(name)}.`;
  const text = table(rows, { width, names: columns });
  return isAlone ? text : `${label(name)}\n${text}`;
}

/** Says how to read the next page, if there is one. */
export function moreLine(page: Readonly<Record<string, unknown>>, { more }: Pick<Shown, 'more'>): readonly string[] {
  const cursor = page.next_cursor ?? page.cursor;
  if (page.has_more === false || typeof cursor !== 'string') return [];
  if (page.has_more === undefined && page.next_cursor === undefined) return [];
  const command = more?.(cursor);
  return [command === undefined ? 'There is more: --json shows where it begins.' : `More: ${quiet(command)}`];
}

type Entries = readonly (readonly [string, unknown])[];

/** Resources with at most this many members are shown with their unset ones. */
const fewMembers = 4;

const isPublished = ([name, value]: readonly [string, unknown], at: number, all: Entries): boolean =>
  !internal.has(name) &&
  (all.length <= fewMembers || (value !== null && value !== undefined)) &&
  !(isObject(value) && Object.keys(value).length === 0) &&
  // `id` and `project_id` of a project are the same.
  !(typeof value === 'string' && idLike.test(value) && all.findIndex(([, one]) => one === value) < at);

const idLike = /^[a-z]{3}_[0-9a-z]{26}$|^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Names beside values. A nested object is a section below. */
export function pairs(all: Entries, width: number): string {
  const entries = all.filter(isPublished);
  const isSection = (value: unknown) =>
    (isObject(value) && Object.keys(value).length > 0) || (Array.isArray(value) && value.some(isObject));
  const plain = entries
    .filter(([, value]) => !isSection(value))
    .map(([name, value]) => usd(name, value) ?? ([label(name), long(value)] as const));
  const widest = Math.max(0, ...plain.map(([name]) => name.length));
  const indent = ' '.repeat(widest + 2);
  return [
    ...plain.map(([name, text]) => `${name.padEnd(widest)}  ${text.replaceAll('\n', `\n${indent}`)}`),
    ...entries
      .filter(([, value]) => isSection(value))
      .map(([name, value]) => `${label(name)}\n${indented(section(value, width - 2))}`),
  ].join('\n');
}

const section = (value: unknown, width: number): string =>
  Array.isArray(value) ? table(value, { width }) : pairs(Object.entries(value as object), width);

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

const long = (value: unknown): string =>
  Array.isArray(value)
    ? value.length === 0
      ? 'none'
      : value.map(shownScalar).join(', ')
    : shownTime(shownScalar(value), ' UTC');

/** Formats an event of a stream in one line. */
export function humanLine(document: unknown): string {
  if (!isObject(document)) return shownScalar(document);
  const { cursor: _where, reset, ...told } = document;
  const [only, ...others] = Object.values(told);
  // Shows only the subject of an event, without the object around it.
  const facts = isObject(only) && others.length === 0 ? only : told;
  return [
    ...(reset === true ? ['(begins anew)'] : []),
    ...factsOf(facts).map(([name, value]) => `${name}=${value}`),
  ].join('  ');
}

const factsOf = (facts: Readonly<Record<string, unknown>>, before = ''): readonly (readonly [string, string])[] =>
  Object.entries(facts).flatMap(([name, value]) => {
    const full = `${before}${name.replace(/\p{Cc}+/gu, ' ')}`;
    if (value === null || value === undefined) return [];
    if (isObject(value)) return factsOf(value, `${full}.`);
    const text = Array.isArray(value) && value.some(isObject) ? JSON.stringify(value) : long(value);
    return [[full, text.replace(/\p{Cc}+/gu, ' ')]];
  });
