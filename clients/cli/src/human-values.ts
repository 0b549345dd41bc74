import { ExactNumber } from './exact-json.ts';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** Removes control characters that a terminal would interpret; line breaks and tabs remain. */
export const quiet = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, '');

/** Formats a member's name for people. Columns of a project's tables may have any name. */
export const label = (name: string): string => name.replaceAll('_', ' ').replace(/\p{Cc}+/gu, ' ');

/** Formats a value in full. */
export const shownScalar = (value: unknown): string =>
  value === null || value === undefined
    ? '-'
    : typeof value === 'string'
      ? quiet(value)
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);

const isoTime = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

/** Formats an ISO time as date and time in seconds; other texts are unchanged. */
export const shownTime = (text: string, zone = ''): string => text.replace(isoTime, `$1 $2${zone}`);

/** Converts an amount of micro-dollars and its name to dollars; undefined for any other member. */
export function usd(name: string, value: unknown): readonly [string, string] | undefined {
  const called = /^(.*?)_?usd_micros$/.exec(name)?.[1];
  if (called === undefined || (typeof value !== 'number' && value !== null)) return undefined;
  return [label(called === '' ? 'amount' : called), value === null ? shownScalar(value) : dollars(value)];
}

/** Formats micro-dollars as dollars with two to six decimals, for example `$5.00`. */
export function dollars(micros: number): string {
  const digits = (Math.abs(micros) / 1e6).toFixed(6).replace(/0{1,4}$/, '');
  return `${micros < 0 ? '-' : ''}$${digits}`;
}
