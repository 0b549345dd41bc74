import { badUsage } from './failure.ts';

const units = { s: 1, m: 60, h: 3600 } as const;

/** Converts `90s`, `10m`, `2h` or a bare number to seconds. @throws BAD_USAGE */
export function secondsOf(text: string, field: string): number {
  const [, count, unit = 's'] = /^(\d{1,7})([smh])?$/.exec(text) ?? [];
  if (count === undefined || Number(count) === 0)
    throw badUsage(`--${field} is a time such as 90s, 10m or 2h.`, { field });
  return Number(count) * units[unit as keyof typeof units];
}
