import type { AnswerFormat } from '../request/media-type.ts';
import { type Preferences, preferenceApplied } from '../request/preferences.ts';

/** What every answer of rows carries: it is for the caller alone. Contract 01, section 2.3. */
export function answerHeaders(
  format: AnswerFormat | undefined,
  applied: Preferences,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const preferences = preferenceApplied(applied);
  return {
    ...(format === undefined ? {} : { 'content-type': format.contentType }),
    ...(preferences === undefined ? {} : { 'preference-applied': preferences }),
    'cache-control': 'private, no-store',
    ...more,
  };
}
