import { invalid } from './errors.ts';
import type { ContentRef } from './model.ts';
import type { ReleaseSpec } from './spec/release-spec.ts';

/**
 * Every object that a specification names, once.
 *
 * @throws SpecError for a digest with two sizes, of which one is wrong
 */
export function contentOf({ migrations, functions, site, assets }: ReleaseSpec): ContentRef[] {
  const found = new Map<string, ContentRef>();
  const add = ({ sha256, size }: ContentRef) => {
    const other = found.get(sha256);
    if (other === undefined) found.set(sha256, { sha256, size });
    else if (other.size !== size) throw invalid('', `gives ${sha256} two sizes, ${other.size} and ${size}`, { sha256 });
  };
  for (const { sql } of migrations) if (typeof sql !== 'string') add(sql);
  const functionEntries = functions?.kind === 'replace' ? functions.entries : functions?.set;
  for (const { code } of functionEntries?.values() ?? []) for (const one of code?.files.values() ?? []) add(one);
  const files = site?.kind === 'replace' ? site.entries : site?.set;
  for (const one of files?.values() ?? []) add(one);
  for (const one of assets?.put ?? []) add(one);
  return [...found.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}
