import { lookup } from 'mime-types';

const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The file of a page whose address has no extension: `/about` is `/about.html`. Undefined for every other path. */
export function pageOf(path: string): string | undefined {
  const name = lastSegment(path);
  return name === '' || name.includes('.') ? undefined : `${path}.html`;
}

/** The folder that a path may name without the slash at its end. */
export const folderOf = (path: string): string | undefined => (path.endsWith('/') ? undefined : `${path}/`);

/**
 * Whether a path may be the address of a page, rather than that of a script or a picture that is not there: browsers
 * would take a page in their place for a broken one.
 */
export function isNavigation(path: string): boolean {
  const name = lastSegment(path);
  if (!name.includes('.')) return true;
  const type = lookup(name);
  return type === false || type === 'text/html' || type === 'application/xhtml+xml';
}
