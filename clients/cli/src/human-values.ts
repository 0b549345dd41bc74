export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text without what would tell a terminal to do something; lines and tabs stay. */
export const quiet = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, '');

/** A member's name for people. Columns of a project’s tables may be called anything. */
export const label = (name: string): string => name.replaceAll('_', ' ').replace(/\p{Cc}+/gu, ' ');

/** A value in words, whole. */
export const shownScalar = (value: unknown): string =>
  value === null || value === undefined
    ? '-'
    : typeof value === 'string'
      ? quiet(value)
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);

const isoTime = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

/** A moment as day and second; other texts as they are. */
export const shownTime = (text: string, zone = ''): string => text.replace(isoTime, `$1 $2${zone}`);

/** An amount of micro-dollars with its name, in dollars; undefined for anything else. */
export function usd(name: string, value: unknown): readonly [string, string] | undefined {
  const called = /^(.*?)_?usd_micros$/.exec(name)?.[1];
  if (called === undefined || (typeof value !== 'number' && value !== null)) return undefined;
  return [label(called === '' ? 'amount' : called), value === null ? shownScalar(value) : dollars(value)];
}

/** Micro-dollars as dollars with two to six decimals, for example `$5.00`. */
export function dollars(micros: number): string {
  const digits = (Math.abs(micros) / 1e6).toFixed(6).replace(/0{1,4}$/, '');
  return `${micros < 0 ? '-' : ''}$${digits}`;
}
