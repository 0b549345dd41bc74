import { refusals } from '../errors.ts';

/** What a client prefers: the `Prefer` header. RFC 7240. */
export interface Preferences {
  readonly resolution?: 'merge-duplicates' | 'ignore-duplicates';
  readonly return?: 'representation' | 'minimal' | 'headers-only';
  readonly count?: 'exact' | 'planned' | 'estimated';
  readonly missing?: 'default' | 'null';
  readonly handling?: 'strict' | 'lenient';
  readonly timezone?: string;
  readonly maxAffected?: number;
}

const choices: Readonly<Record<string, readonly string[]>> = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  missing: ['default', 'null'],
  handling: ['strict', 'lenient'],
  // Known and of no effect: changes are kept anyway.
  tx: ['commit'],
};

/**
 * Reads `Prefer`; of one preference given twice the first counts.
 *
 * @throws PGRST122 for what is not known when the handling is strict, and always for `tx=rollback`: whoever asks for
 * it must not find that the change was kept
 */
export function readPreferences(header: string | undefined): Preferences {
  const found: Record<string, string | number> = {};
  const invalid: string[] = [];
  for (const preference of (header ?? '').split(',').map((one) => one.trim())) {
    if (preference === '' || take(preference, found)) continue;
    invalid.push(preference);
  }
  if (invalid.includes('tx=rollback')) throw refusals.preferences(['tx=rollback']);
  if (invalid.length > 0 && found.handling === 'strict') throw refusals.preferences(invalid);
  delete found.tx;
  return found;
}

/** Whether the preference is known. */
function take(preference: string, found: Record<string, string | number>): boolean {
  const [name, value] = split(preference);
  if (value === undefined) return false;
  // PostgreSQL judges which names are time zones.
  if (name === 'timezone') found.timezone ??= value;
  else if (name === 'max-affected' && /^\d{1,15}$/.test(value)) found.maxAffected ??= Number(value);
  else if (Object.hasOwn(choices, name) && choices[name]!.includes(value)) found[name] ??= value;
  else return false;
  return true;
}

function split(preference: string): [string, string | undefined] {
  const at = preference.indexOf('=');
  return at < 0 ? [preference, undefined] : [preference.slice(0, at).trim(), preference.slice(at + 1).trim()];
}

/** The header that says which preferences were honoured. */
export function preferenceApplied(applied: Preferences): string | undefined {
  const words = [
    applied.resolution && `resolution=${applied.resolution}`,
    applied.missing && `missing=${applied.missing}`,
    applied.return && `return=${applied.return}`,
    applied.count && `count=${applied.count}`,
    applied.handling && `handling=${applied.handling}`,
    applied.timezone && `timezone=${applied.timezone}`,
    applied.handling === 'strict' && applied.maxAffected !== undefined && `max-affected=${applied.maxAffected}`,
  ].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? undefined : words.join(', ');
}
