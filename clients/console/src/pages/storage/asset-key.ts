const keyMax = 1_024;

/**
 * The key that a file goes under: its path below a folder, of the letters that keys have. Accents are left out, other
 * letters become dashes.
 *
 * @returns undefined where nothing of the name is left, or the key would be too long
 */
export function keyFor(prefix: string, path: string): string | undefined {
  const segments = path
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .split('/')
    .map((segment) => segment.trim().replace(/[^A-Za-z0-9._-]+/g, '-'))
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..');
  const key = prefix + segments.join('/');
  return segments.length === 0 || key.length > keyMax ? undefined : key;
}

/** Files that systems leave in folders and that nobody means to publish. */
export const isLeftBehind = (path: string): boolean => /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(path);
