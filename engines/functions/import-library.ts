import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** The library that every function may import without naming it. */
const library = '@svc/functions';

/** Its sources. They are known by their names alone, so that a bundle is the same on every machine. */
const folder = new URL('../../clients/functions/src/', import.meta.url);

/** Has the library found, for functions and for packages that are written for them. */
export const importLibrary: Plugin = {
  name: 'library',
  setup(build) {
    build.onResolve({ filter: /^@svc\/functions$/ }, () => ({
      path: 'index.ts',
      namespace: library,
      sideEffects: false,
    }));
    build.onResolve({ filter: /^\.\//, namespace: library }, ({ path }) => ({
      path: path.slice('./'.length),
      namespace: library,
      sideEffects: false,
    }));
    build.onLoad({ filter: /.*/, namespace: library }, async ({ path }) => ({
      contents: await readFile(new URL(path, folder)),
      loader: 'ts',
    }));
  },
};
