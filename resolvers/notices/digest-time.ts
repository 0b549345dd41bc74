import type { Preferences } from './preferences.ts';

const dayMs = 86_400_000;

/**
 * When the next summary is made: at the hour that is wanted, each day, on the day of the week, or on the first of the month.
 *
 * @returns null for whoever wants none
 */
export function nextDigest(
  { digestCadence, digestDay, digestHour }: Pick<Preferences, 'digestCadence' | 'digestDay' | 'digestHour'>,
  after: Date,
): Date | null {
  if (digestCadence === 'off') return null;
  const at = new Date(after);
  at.setUTCHours(digestHour, 0, 0, 0);
  if (at <= after) at.setTime(at.getTime() + dayMs);
  if (digestCadence === 'weekly') {
    const days = (digestDay - (at.getUTCDay() || 7) + 7) % 7;
    at.setTime(at.getTime() + days * dayMs);
  }
  if (digestCadence === 'monthly' && at.getUTCDate() !== 1) at.setUTCMonth(at.getUTCMonth() + 1, 1);
  return at;
}
