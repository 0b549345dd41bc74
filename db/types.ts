import pg from 'pg';

const { builtins } = pg.types;

const slowly = pg.types.getTypeParser(builtins.TIMESTAMPTZ) as (text: string) => Date;

const digit = (text: string, at: number) => text.charCodeAt(at) - 48;
const two = (text: string, at: number) => digit(text, at) * 10 + digit(text, at + 1);

/**
 * A moment as the server writes it to sessions in UTC, `2026-03-06 00:00:00.123456+00`: read by place, since lists are
 * full of them. Anything else is left to the driver.
 */
export function momentOf(text: string): Date {
  const { length } = text;
  if (length < 22 || length > 29 || text.charCodeAt(4) !== 45 || !text.endsWith('+00')) return slowly(text);
  let ms = 0;
  // What lies behind the milliseconds is cut, as the driver cuts it.
  for (let at = 20, worth = 100; at < length - 3 && worth >= 1; at++, worth /= 10) ms += digit(text, at) * worth;
  const year = two(text, 0) * 100 + two(text, 2);
  if (year < 100) return slowly(text);
  return new Date(Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), ms));
}

/** Whole numbers of 64 bits arrive as bigint; everything else as `pg` reads it. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === builtins.INT8) return BigInt;
    if (format !== 'binary' && oid === builtins.TIMESTAMPTZ) return momentOf;
    return pg.types.getTypeParser(oid, format as 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};
