import type { CacheClass, CacheClassSource, StaticFile } from './model.ts';

/** 8 or more hexadecimal digits between delimiters. */
const delimited = /(?:^|[._-])[0-9a-f]{8,}[._-]/i;
const endsInDigits = /^[0-9a-f]{12}$/i;

/** Whether a file's name changes with its bytes: by digits between delimiters, or 12 or more at its end. */
export function hasFingerprint(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (delimited.test(name)) return true;
  // The last 12 alone are looked at: a search for more would try every place of a long name, of every file.
  const dot = name.lastIndexOf('.');
  return [name, ...(dot === -1 ? [] : [name.slice(0, dot)])].some((end) => endsInDigits.test(end.slice(-12)));
}

const isHtml = (path: string, type: string) => /\.html?$/i.test(path) || /^text\/html\b/i.test(type);

/**
 * How long a file may be kept. What browsers were told to ask about again stays so, until its table says otherwise; what
 * has no fingerprint is never kept for ever. Unless its table says so, neither is what has one under a URL without: the
 * next release has another file there. Contract 03, section 2.11.8.
 *
 * @param publicPath under which browsers keep it
 * @param declared by the table of public paths
 * @param before what the release before served at the same public path
 */
export function cacheClassOf(
  publicPath: string,
  { path, contentType }: { readonly path: string; readonly contentType: string },
  declared: CacheClass | undefined,
  before: Pick<StaticFile, 'cacheClass'> | undefined,
): { readonly cacheClass: CacheClass; readonly cacheClassSource: CacheClassSource } {
  if (isHtml(path, contentType))
    return { cacheClass: 'html', cacheClassSource: declared === 'html' ? 'declared' : 'inferred_html' };
  const downgraded = { cacheClass: 'revalidating_asset', cacheClassSource: 'downgraded' } as const;
  if (declared === 'immutable_versioned')
    return hasFingerprint(path) ? { cacheClass: declared, cacheClassSource: 'declared' } : downgraded;
  if (declared !== undefined) return { cacheClass: declared, cacheClassSource: 'declared' };
  if (!hasFingerprint(publicPath)) return downgraded;
  if (before?.cacheClass === 'revalidating_asset')
    return { cacheClass: 'revalidating_asset', cacheClassSource: 'legacy' };
  return { cacheClass: 'immutable_versioned', cacheClassSource: 'inferred_sha_filename' };
}
