import type { DirectoryDropItem, DropItem, FileDropItem } from 'react-aria-components';
import { isLeftBehind, keyFor } from './asset-key.ts';

/** A file to upload, and the key that it goes under. */
export interface ChosenFile {
  readonly file: File;
  readonly key: string;
}

/** Files with the keys of their paths below a folder; of several with one key the last one. */
export function keyed(prefix: string, files: Iterable<readonly [path: string, file: File]>) {
  const chosen = new Map<string, ChosenFile>();
  const odd: string[] = [];
  for (const [path, file] of files) {
    if (isLeftBehind(path)) continue;
    const key = keyFor(prefix, path);
    if (key === undefined) odd.push(path);
    else chosen.set(key, { file, key });
  }
  return { chosen: [...chosen.values()], odd };
}

/** What was chosen in the browser's dialog: a folder's files know their paths. */
export const filesOf = (list: FileList): (readonly [string, File])[] =>
  Array.from(list, (file) => [file.webkitRelativePath || file.name, file] as const);

/** What was dropped, with all that is in folders. */
export async function droppedFiles(items: readonly DropItem[]): Promise<(readonly [string, File])[]> {
  const found: (readonly [string, File])[] = [];
  const walk = async (item: FileDropItem | DirectoryDropItem, above: string): Promise<void> => {
    if (item.kind === 'file') {
      found.push([above + item.name, await item.getFile()]);
      return;
    }
    for await (const entry of item.getEntries()) await walk(entry, `${above}${item.name}/`);
  };
  for (const item of items) if (item.kind !== 'text') await walk(item, '');
  return found;
}
