import type { ChildProcess } from 'node:child_process';

/** Where a server that was started says that it serves, without a slash at the end; undefined when it ends before. */
export function firstUrl(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    child.stdout!.on('data', (part) => {
      said += part;
      const url = /serves at (http:\/\/[^\s/]+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('close', () => resolve(undefined));
  });
}
