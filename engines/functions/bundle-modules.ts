import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { type BuildFailure, build, type Loader, type Message, type Plugin } from 'esbuild';

/** The code of a function as it was deployed. */
export interface FunctionSource {
  /** By relative path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** One of the files. */
  readonly entrypoint: string;
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

/** CommonJS inside of the bundle asks for built-in modules by `require`. */
const banner = `import { createRequire as svcCreateRequire } from 'node:module';const require = svcCreateRequire('file:///fn/index.mjs');`;

/** What came of it: one module with its map and the warnings, or what is wrong, a line each. */
export type Bundled =
  | { readonly code: Uint8Array; readonly sourceMap: Uint8Array; readonly warnings: readonly string[] }
  | { readonly errors: readonly string[] };

/** What is wrong with the bundler itself, and not with what it was given. */
export interface BundlerFault {
  readonly fault: string;
}

/**
 * Makes one ES module of the code of a function. Nothing of it is run, and no file of this machine is read: every import
 * is found among the files given.
 */
export async function bundleModules(source: FunctionSource): Promise<Bundled> {
  const made = await build({
    entryPoints: [source.entrypoint],
    plugins: [fromMemory(source)],
    bundle: true,
    write: false,
    outfile: '/fn/index.mjs',
    absWorkingDir: '/',
    platform: 'node',
    target: 'node22',
    format: 'esm',
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    logLimit: logLinesMax,
    tsconfigRaw: {},
    banner: { js: banner },
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
  (location === null
    ? text
    : `${location.file.replace(/^function:/, '')}:${location.line}:${location.column}: ${text}`
  ).slice(0, logLineMax);

/** Has every import found among the files of a function. */
const fromMemory = ({ files, entrypoint }: FunctionSource): Plugin => ({
  name: 'function',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return { path: entrypoint, namespace: 'function' };
      if (isBuiltIn(path)) return { path, external: true };
      if (!/^\.{1,2}(\/|$)/.test(path))
        return { errors: [{ text: `${path} is not there: a function without deps imports its own files alone` }] };
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
