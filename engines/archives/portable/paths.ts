import { archiveLimits } from './format.ts';

/** Names that mean a device on some systems. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a path leads to a file below the folder that an archive is unpacked to, wherever that is. */
export function isSafePath(path: string): boolean {
  if (path === '' || path.length > archiveLimits.pathBytes) return false;
  // Letters and signs that every system takes: what is written here has no others.
  if (!/^[A-Za-z0-9._/-]+$/.test(path) || path.startsWith('/')) return false;
  return path
    .split('/')
    .every((part) => part !== '' && !/^\.{1,2}$/.test(part) && !part.endsWith('.') && !reserved.test(part));
}
