import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BundleFile, textFile } from './bundle-file.ts';

/** Folders of the project, and what stands beside them: whatever else lies there is somebody's own. */
const folders = [
  '.ci',
  'agents',
  'bench',
  'clients',
  'core',
  'db',
  'docs',
  'engines',
  'examples',
  'kernel',
  'resolvers',
  'rest-compat',
  'schema',
  'scripts',
  'server',
  'subscriptions',
  'test',
];
const rootFiles = [
  '.dockerignore',
  '.npmrc',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'Dockerfile',
  'LICENSE',
  'README.md',
  'biome.json',
  'compose.yaml',
  'drizzle.config.ts',
  'knip.json',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];

/** Kinds of file that the project is made of. Logs, keys, certificates, environments and data are of none of them. */
const kinds =
  /^[\w[-][\w.@[\]-]*\.(?:astro|conf|css|graphql|html|jsx?|json|jsonl|md|mjs|png|service|sh|sol|sql|svg|tsx?|txt|ya?ml)$|^run$|^Caddyfile$|^LICENSE$|^gitignore$|^\.npmrc$/;
/** Names of settings of somebody's own, which is nothing to pass on. */
const unfit = /(?:^|[._-])(?:env|local|secrets?|credentials?)\.(?:json|ya?ml|txt|js|mjs)$/i;
const foreignFolders: ReadonlySet<string> = new Set(['node_modules', 'coverage', 'dist']);

/**
 * The project's own files as they are installed, which is what is sold as its source. What is listed goes in and nothing
 * else does: no environment files, keys, dependencies, logs, data, nor anything of version control.
 *
 * @param root where the project is installed
 * @throws when a part of the project is not there: half a source is none
 */
export async function projectFiles(root: string): Promise<BundleFile[]> {
  const inFolders = await Promise.all(folders.map((folder) => filesBelow(root, folder)));
  const paths = [...rootFiles, ...inFolders.flat()];
  const files: BundleFile[] = [];
  // One after the other: a thousand open files at once are more than some systems allow.
  for (const path of paths) files.push(projectFile(path, await readFile(join(root, path))));
  return files;
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry): Promise<string[]> | string[] => {
      const path = `${folder}/${entry.name}`;
      // What is linked to lies elsewhere.
      if (entry.isDirectory())
        return entry.name.startsWith('.') || foreignFolders.has(entry.name) ? [] : filesBelow(root, path);
      return entry.isFile() && kinds.test(entry.name) && !unfit.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat();
}

/** An installation may have the way to its own package registry in this file, with what opens it. */
function projectFile(path: string, bytes: Buffer): BundleFile {
  // A picture is no text, and has no lines to end.
  if (path.endsWith('.png')) return { path, bytes };
  const text = bytes.toString();
  return path.endsWith('.npmrc')
    ? textFile(
        path,
        text
          .split('\n')
          .filter((line) => !/^\s*(?:\/\/|@)|auth|pass|token|registry\s*=/i.test(line))
          .join('\n'),
      )
    : textFile(path, text);
}
