import { sep } from 'node:path';
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild';
import { imports as importsOf } from 'resolve.exports';
import type { InstalledPackage } from './packages/install-packages.ts';

/** The packages of a function. */
export interface Packages {
  /** Where all of them lie. */
  readonly folder: string;
  /** Keys of those that it named itself, by their names. */
  readonly root: Readonly<Record<string, string>>;
  readonly packages: Readonly<Record<string, InstalledPackage>>;
}

const isPath = /^(\.{1,2}(\/|$)|\/)/;

/** Marks what is left to the bundler, which knows how packages are laid out. */
const usual = Symbol('usual');

/** Has every other import found in the packages of a function, and none of them elsewhere on this machine. */
export const importPackages = ({ folder, root, packages }: Packages): Plugin => ({
  name: 'packages',
  setup(build) {
    const keys = new Map(Object.entries(packages).map(([key, one]) => [one.folder, key]));
    const packageAt = (file: string): InstalledPackage | undefined => {
      const end = file.indexOf(sep, folder.length + 1);
      const key = keys.get(file.slice(0, end));
      return key === undefined ? undefined : packages[key];
    };
    build.onResolve({ filter: /.*/ }, async (args) => {
      if (args.pluginData === usual) return undefined;
      const by = args.namespace === 'file' ? packageAt(args.importer) : undefined;
      if (by === undefined) return (await named(build, args, root, packages)) ?? missing(args);
      if (isPath.test(args.path)) return (await inside(build, args, by, args.resolveDir)) ?? missing(args, by);
      const own = args.path.startsWith('#')
        ? ((await inside(build, args, by, args.resolveDir)) ?? (await internal(build, args, by, packages)))
        : ((await named(build, args, { [by.name]: keys.get(by.folder)!, ...by.deps }, packages)) ??
          // What came in the package itself.
          (await inside(build, args, by, args.resolveDir)));
      return own ?? missing(args, by);
    });
  },
});

/** A package by the name that its importer uses, and what of it. */
async function named(
  build: PluginBuild,
  args: Pick<OnResolveArgs, 'path' | 'kind'>,
  deps: Readonly<Record<string, string>>,
  packages: Packages['packages'],
): Promise<OnResolveResult | undefined> {
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(args.path) ?? [];
  const key = name !== undefined && Object.hasOwn(deps, name) ? deps[name] : undefined;
  const one = key === undefined ? undefined : packages[key];
  return one === undefined ? undefined : inside(build, { ...args, path: one.name + rest }, one, one.folder);
}

/** What a package calls by a name of its own (`#…`), where that is another package. */
async function internal(
  build: PluginBuild,
  args: OnResolveArgs,
  by: InstalledPackage,
  packages: Packages['packages'],
): Promise<OnResolveResult | undefined> {
  const { default: manifest } = await import(`${by.folder}/node_modules/${by.name}/package.json`, {
    with: { type: 'json' },
  });
  const isRequired = args.kind.startsWith('require');
  let found: readonly string[] | undefined;
  try {
    found = importsOf(manifest, args.path, { require: isRequired }) ?? undefined;
  } catch {
    return undefined;
  }
  const [path] = found ?? [];
  return path === undefined || path.startsWith('.') ? undefined : named(build, { ...args, path }, by.deps, packages);
}

/** What the bundler itself finds, if it is a file of the package. */
async function inside(
  build: PluginBuild,
  { path, kind, importer }: Pick<OnResolveArgs, 'path' | 'kind'> & { readonly importer?: string },
  { folder }: InstalledPackage,
  resolveDir: string,
): Promise<OnResolveResult | undefined> {
  const found = await build.resolve(path, { kind, resolveDir, pluginData: usual, ...(importer && { importer }) });
  if (found.errors.length > 0) return undefined;
  if (found.external || found.namespace !== 'file') return found;
  return found.path.startsWith(folder + sep) || found.path === '' ? found : undefined;
}

/** A package may do without what it asks for while it runs; what is imported has to be there. */
function missing({ path, kind }: OnResolveArgs, by?: InstalledPackage): OnResolveResult {
  if (by === undefined)
    return { errors: [{ text: `${path} is not there: it is neither a file of the function nor among its deps` }] };
  if (kind === 'require-call' || kind === 'require-resolve' || kind === 'dynamic-import')
    return { path, external: true, warnings: [{ text: `${by.name} goes without ${path}` }] };
  const native = path.endsWith('.node') ? ', since it is compiled for one machine' : '';
  return { errors: [{ text: `${by.name} imports ${path}, which is not there${native}` }] };
}
