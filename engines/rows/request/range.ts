import { refusals } from '../errors.ts';
import type { Window } from './query.ts';

/** Rows of a list when nothing is said, and the most that are given at once. Contract 01, section 2.2. */
export const defaultRows = 1_000;
export const rowsMax = 10_000;

/**
 * The window of a `Range: 0-24` header.
 *
 * @returns undefined when there is none, or what it says is no range of rows
 * @throws PGRST103 for one that ends before it begins
 */
export function readRange(header: string | undefined): Window | undefined {
  const [, low, high] = /^(?:items=)?(\d{1,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (low === undefined) return undefined;
  const offset = Number(low);
  if (high === '' || high === undefined) return { offset, limit: undefined };
  if (Number(high) < offset)
    throw refusals.range('The lower boundary must be lower than or equal to the upper boundary in the Range header.');
  return { offset, limit: Number(high) - offset + 1 };
}

/** What lies in both windows. */
export function intersect(left: Window, right: Window | undefined): Window {
  if (right === undefined) return left;
  const offset = Math.max(left.offset, right.offset);
  const ends = [left, right].flatMap(({ offset: from, limit }) => (limit === undefined ? [] : [from + limit]));
  return { offset, limit: ends.length === 0 ? undefined : Math.max(0, Math.min(...ends) - offset) };
}

/** The window with the default page, and never more than the most. */
export const capped = ({ offset, limit }: Window): Required<{ offset: number; limit: number }> => ({
  offset,
  limit: Math.min(limit ?? defaultRows, rowsMax),
});

/** `Content-Range` of rows counted from `offset`. */
export function contentRange(offset: number, rows: number, total: number | undefined): string {
  return `${rows === 0 ? '*' : `${offset}-${offset + rows - 1}`}/${total ?? '*'}`;
}
