import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { projectFiles } from '../../engines/bundles/project-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('every file under version control is in the source, but for what tells git what to leave out', async () => {
  let tracked: string[];
  try {
    tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  } catch {
    // An installation from an archive has no history to compare with.
    return expect(await projectFiles(root)).not.toHaveLength(0);
  }
  const packed = new Set((await projectFiles(root)).map(({ path }) => path));
  expect(tracked.filter((path) => !packed.has(path))).toEqual(['.gitignore']);
});
