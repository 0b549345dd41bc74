import type { ReleaseDiff } from './diff.ts';

const counted = (count: number, noun: string, verb: string): string[] =>
  count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'} ${verb}`];

interface Bucket {
  readonly added: readonly unknown[];
  readonly removed: readonly unknown[];
  readonly changed?: readonly unknown[];
}

const family = ({ added, changed = [], removed }: Bucket, noun: string, addedVerb = 'added'): string[] => [
  ...counted(added.length, noun, addedVerb),
  ...counted(changed.length, noun, 'changed'),
  ...counted(removed.length, noun, 'removed'),
];

/**
 * What a plan does, or what lies between two releases, in one line. Contract 03, section 2.14.
 *
 * @param migrations how many are new, or were applied between
 */
export function summaryOf(diff: ReleaseDiff, migrations: number, kind: 'plan' | 'release_diff'): string {
  const isPlan = kind === 'plan';
  const parts = [
    ...counted(migrations, 'migration', isPlan ? 'new' : 'applied between releases'),
    ...family(diff.site, 'site path'),
    ...family(diff.functions, 'function'),
    ...family(diff.secrets, 'secret', isPlan ? 'required' : 'added'),
    ...family(diff.subdomains, 'subdomain'),
    ...family(diff.routes, 'route'),
  ];
  if (parts.length > 0) return parts.join(', ');
  if (diff.settings.length > 0) return `${diff.settings.map((one) => one.replaceAll('_', ' ')).join(', ')} changed`;
  return isPlan ? 'No changes (noop)' : 'No changes between releases (noop)';
}
