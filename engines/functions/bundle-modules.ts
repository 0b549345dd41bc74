import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { type BuildFailure, build, type Loader, type Message, type Plugin } from 'esbuild';
import { importLibrary } from './import-library.ts';
import { importPackages, type Packages } from './import-packages.ts';

/** The code of a function as it was deployed. */
export interface FunctionSource {
  /** By relative path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** One of the files. */
  readonly entrypoint: string;
  /** What it may import beside its files. */
  readonly packages: Packages;
}

/** Lines of a log that are kept, and the length of one, in UTF-16 units. */
const logLinesMax = 100;
const logLineMax = 2_000;

/** Largest bundle, and largest source map, in bytes. Contract 03, section 2.11.5. */
const bundleBytesMax = 25 * 1024 * 1024;
const mapBytesMax = 64 * 1024 * 1024;

const loaders: Readonly<Record<string, Loader>> = {
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.json': 'json',
  '.txt': 'text',
  '.md': 'text',
  '.html': 'text',
  '.css': 'text',
  '.sql': 'text',
  '.wasm': 'binary',
};

/** What is tried after a path that names no file, in this order. */
const extensions = ['.ts', '.tsx', '.mts', '.js', '.mjs', '.jsx', '.cjs', '.json'];

const builtIn = new Set(builtinModules.filter((name) => !name.startsWith('_')));
const isBuiltIn = (path: string): boolean => path.startsWith('node:') || builtIn.has(path);

/** What came of it: one module with its map and the warnings, or what is wrong, a line each. */
export type Bundled =
  | { readonly code: Uint8Array; readonly sourceMap: Uint8Array; readonly warnings: readonly string[] }
  | { readonly errors: readonly string[] };

/**
 * Makes one ES module of the code of a function. Nothing of it is run, and no file of this machine is read but those of its
 * packages and of the library of functions: every import is found among these and the files given. CommonJS finds `require`, `__filename` and `__dirname`
 * where it is run (`engines/sandbox/inside`).
 */
export async function bundleModules(source: FunctionSource): Promise<Bundled> {
  const made = await build({
    entryPoints: [source.entrypoint],
    plugins: [fromMemory(source), importLibrary, importPackages(source.packages)],
    bundle: true,
    write: false,
    outfile: 'index.mjs',
    // What is shown of a package's place is the same on every machine.
    absWorkingDir: source.packages.folder,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    logLimit: logLinesMax,
    tsconfigRaw: {},
    loader: { '.wasm': 'binary' },
    // What libraries leave out where nobody looks for their mistakes.
    define: { 'process.env.NODE_ENV': '"production"' },
  }).catch((error: BuildFailure) => {
    if (error.errors === undefined) throw error;
    return error;
  });
  if (!('outputFiles' in made)) return { errors: made.errors.map(lineOf) };
  const bytesOf = (suffix: string) => made.outputFiles.find(({ path }) => path.endsWith(suffix))!.contents;
  const [code, sourceMap] = [bytesOf('.mjs'), bytesOf('.map')];
  // Looked at here: what a small source grows to shall not reach the gateway.
  if (code.length > bundleBytesMax) return { errors: [tooLarge('bundle', code, bundleBytesMax)] };
  if (sourceMap.length > mapBytesMax) return { errors: [tooLarge('source map', sourceMap, mapBytesMax)] };
  return { code, sourceMap, warnings: made.warnings.map(lineOf) };
}

const tooLarge = (what: string, { length }: Uint8Array, max: number): string =>
  `The ${what} has ${length} bytes, more than ${max}.`;

const lineOf = ({ text, location }: Message): string =>
  (location === null ? text : `${placeOf(location.file)}:${location.line}:${location.column}: ${text}`).slice(
    0,
    logLineMax,
  );

/** A file as its author knows it: by its path in the function, or in its package. */
const placeOf = (file: string): string => file.replace(/^function:/, '').replace(/^.*?\/node_modules\//, '');

/** Has every import of its own files found among the files of a function. */
const fromMemory = ({ files, entrypoint }: FunctionSource): Plugin => ({
  name: 'function',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace }) => {
      if (kind === 'entry-point') return { path: entrypoint, namespace: 'function' };
      if (isBuiltIn(path)) return { path, external: true };
      if (namespace !== 'function' || !/^\.{1,2}(\/|$)/.test(path)) return undefined;
      const wanted = posix.join(posix.dirname(importer), path);
      const found = candidates(wanted).find((one) => files.has(one));
      if (found === undefined) return { errors: [{ text: `there is no file ${wanted}` }] };
      return { path: found, namespace: 'function' };
    });
    build.onLoad({ filter: /.*/, namespace: 'function' }, ({ path }) => {
      const loader = loaders[posix.extname(path).toLowerCase()];
      if (loader === undefined) return { errors: [{ text: `${path} is of no kind that can be imported` }] };
      return { contents: files.get(path)!, loader };
    });
  },
});

/** Where a path may lead: TypeScript names the files that it is compiled to. */
function candidates(path: string): readonly string[] {
  const source = path.replace(/\.(c|m)?js(x?)$/, '.$1ts$2');
  const index = path === '.' ? 'index' : `${path}/index`;
  return [
    path,
    ...(source === path ? [] : [source]),
    ...[path, index].flatMap((one) => extensions.map((end) => one + end)),
  ];
}
