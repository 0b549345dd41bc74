import { z } from 'zod';
import type { NextAction } from '../../../core/error-codes.ts';
import { titleOf } from '../../../kernel/feeds/event-types.ts';

/** What is told. */
export interface Subject {
  readonly type: string;
  readonly orgId: string;
  readonly orgName: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly occurredAt: Date;
}

/** Whom moments are written for. */
export interface Reader {
  readonly locale: string;
  readonly timezone: string;
}

/** Most characters of a value, and most lines of values, that are shown. */
const valueMax = 200;
const valuesMax = 20;

/** Values may be of strangers: each stays on its line. */
export const oneLine = (text: string): string => {
  const flat = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return flat.length > valueMax ? `${flat.slice(0, valueMax).toWellFormed()}…` : flat;
};

const isMoment = (value: unknown): value is string =>
  typeof value === 'string' && z.iso.datetime().safeParse(value).success;

/** The scalars of a payload, each with where it is found. */
function linesOf(value: unknown, reader: Reader, at = ''): string[] {
  if (value === null || value === undefined) return [];
  const shown = isMoment(value) ? momentFor(reader, new Date(value)) : value;
  if (typeof shown !== 'object') return [`${at.replaceAll('_', ' ')}: ${oneLine(String(shown))}`];
  return Object.entries(shown).flatMap(([name, inner]) =>
    linesOf(inner, reader, Array.isArray(shown) ? `${at} ${Number(name) + 1}` : at === '' ? name : `${at}, ${name}`),
  );
}

/** A moment as its reader writes it. */
export const momentFor = ({ locale, timezone }: Reader, at: Date): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long', timeZone: timezone }).format(at);

export const nameOfOrg = ({ orgName, orgId }: Pick<Subject, 'orgName' | 'orgId'>): string =>
  orgName === null ? orgId : oneLine(orgName);

const placeOf = (event: Subject): string =>
  event.projectId === null
    ? nameOfOrg(event)
    : `${event.projectName === null ? event.projectId : oneLine(event.projectName)} in ${nameOfOrg(event)}`;

/** The lines by which an event is told: what happened, when, its facts, and what may be done. */
export function eventText(event: Subject, actions: readonly NextAction[], reader: Reader): string[] {
  const lines = linesOf(event.payload, reader);
  const left = lines.length - valuesMax;
  const steps = actions.map(({ why, command, method, path }) => {
    const how = command ?? (path === undefined ? '' : `${method ?? 'GET'} ${path.replaceAll(/:(\w+)/g, '<$1>')}`);
    return why === undefined ? `- ${how}` : `- ${why} ${how}`.trimEnd();
  });
  return [
    `${titleOf(event.type)}: ${placeOf(event)}.`,
    '',
    `When: ${momentFor(reader, event.occurredAt)}`,
    ...lines.slice(0, valuesMax),
    ...(left > 0 ? [`… and ${left} more`] : []),
    ...(steps.length > 0 ? ['', 'What may be done:', ...steps] : []),
  ];
}
