import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

/** Programs that tests start as processes of their own, and where their sources are. */
const sources = {
  gateway: 'server/main.ts',
  backup: 'server/backup.ts',
  restore: 'server/restore.ts',
  'trial-gateway': 'test/helpers/trial-gateway.ts',
  facilitator: 'test/helpers/facilitator-program.ts',
  svc: 'clients/cli/src/main.ts',
} as const;

export type Program = keyof typeof sources;

/** Programs as they were bundled for a run. */
export interface Programs {
  /** Holds a file of JavaScript for each, by its name. */
  readonly folder: string;
  /** Environment that starts them sooner: compiled code is kept for all. */
  readonly env: { readonly NODE_COMPILE_CACHE: string };
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Modules look beside their source for pages, migrations and threads: there they stay, wherever they are bundled to. */
const sourceAddresses: Plugin = {
  name: 'source-addresses',
  enforce: 'pre',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return null;
    const address = JSON.stringify(pathToFileURL(id.split('?')[0]!).href);
    return { code: code.replaceAll('import.meta.url', address), map: null };
  },
};

/** Packages that look beside themselves, or that a start leaves alone. */
const external = ['pino', 'pg', 'graphile-worker', 'libpg-query', '@graphql-yoga/render-graphiql'];

/** Bundles programs, packages included, with what they have in common in files of its own. */
const bundle = (input: Readonly<Record<string, string>>, folder: string) =>
  build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [sourceAddresses],
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: 'node22',
      minify: false,
      // Stacks tell of the sources.
      sourcemap: true,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(input).map(([name, path]) => [name, join(root, path)])),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', sourcemapExcludeSources: true },
      },
    },
  });

/**
 * Bundles the programs that tests start as processes, once for a run: from its sources the gateway reads and strips a
 * thousand files at each start, which takes longer than most tests.
 */
export async function buildPrograms(): Promise<Programs & { readonly remove: () => Promise<void> }> {
  // Below the checkout, where packages are found.
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'svc-programs-'));
  // Some tests start them as other users.
  await chmod(folder, 0o755);
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
  try {
    const { svc, ...servers } = sources;
    await bundle({ ...servers, app: 'server/app.ts' }, folder);
    // The command as it is published: with nothing of what others share.
    await bundle({ svc }, folder);
    // One that is killed leaves no compiled code behind.
    await load(join(folder, 'app.mjs'), env);
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, env, remove };
}

async function load(file: string, env: Readonly<Record<string, string>>): Promise<void> {
  const code = `await import(${JSON.stringify(pathToFileURL(file).href)}); process.exit();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { env, stdio: 'inherit' });
  const [exit] = await once(child, 'close');
  if (exit !== 0) throw new Error(`${file} cannot be loaded (${exit}).`);
}
