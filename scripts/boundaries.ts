import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folders in the order imports may point: each may import the folders below it, and itself. */
const order = [
  ['server'],
  ['agents'],
  // These translate the same operations for different callers and never import each other.
  ['schema', 'rest-compat'],
  ['subscriptions'],
  ['resolvers'],
  ['kernel'],
  ['engines'],
  ['db'],
  ['core'],
] as const;

/** Folders beside the product: they may import all of it, and nothing of it imports them. */
const outside = ['scripts', 'test', 'examples'];

/** Clients know HTTP and nothing of the product: each may import what is named beside it, and itself. */
const clients: Readonly<Record<string, readonly string[]>> = {
  'clients/functions': [],
  'clients/sdk': [],
  'clients/cli': ['clients/sdk'],
  'clients/console': ['clients/sdk'],
};

const root = fileURLToPath(new URL('..', import.meta.url));
const levelOf = (folder: string) => order.findIndex((names) => (names as readonly string[]).includes(folder));
const imports =
  /(?:^|\n)\s*(?:import|export)[^'"\n]*?from\s*['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)|(?:^|\n)import\s*['"](\.[^'"]+)['"]/g;

/** Every import that points the wrong way, as `from -> to`, and every circle of domains. */
export async function boundaryCrossings(): Promise<string[]> {
  const crossings: string[] = [];
  const domains = new Map<string, Set<string>>();
  const patterns = [...order.flat(), ...outside, 'clients'].map((folder) => `${folder}/**/*.{ts,tsx}`);
  for await (const file of glob(patterns, { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    // Import lists over several lines are folded first.
    for (const match of text.replace(/\{[^}]*\}/g, (list) => list.replaceAll('\n', ' ')).matchAll(imports)) {
      const target = relative(root, join(root, dirname(file), match[1] ?? match[2] ?? match[3]!));
      if (target !== 'package.json' && !mayImport(file, target)) crossings.push(`${file} -> ${target}`);
      const [from, to] = [domainOf(file), domainOf(target)];
      if (from !== undefined && to !== undefined && from !== to)
        domains.set(from, (domains.get(from) ?? new Set()).add(to));
    }
  }
  return [...crossings.sort(), ...circlesOf(domains)];
}

const folderOf = (path: string) => {
  const [first, second] = path.split('/');
  return first === 'clients' ? `${first}/${second}` : first!;
};

/** The domain of a file of `resolvers/`; undefined for the lists of all domains that lie there, and for other files. */
const domainOf = (path: string): string | undefined => /^resolvers\/([^/]+)\//.exec(path)?.[1];

/** Whether a file may import another, by the paths of both, or a folder by its name. */
export function mayImport(from: string, to: string): boolean {
  const [fromFolder, toFolder] = [folderOf(from), folderOf(to)];
  if (outside.includes(fromFolder)) return true;
  if (fromFolder === toFolder) return toFolder !== 'resolvers' || mayImportInResolvers(from, to);
  if (fromFolder.startsWith('clients/')) return clients[fromFolder]?.includes(toFolder) === true;
  return levelOf(toFolder) !== -1 && levelOf(fromFolder) < levelOf(toFolder);
}

/** A domain shows its neighbours what lies in its folder `shared`, and knows nothing of the lists of all domains. */
function mayImportInResolvers(from: string, to: string): boolean {
  const [own, other] = [domainOf(from), domainOf(to)];
  return own === undefined || own === other || (other !== undefined && to.startsWith(`resolvers/${other}/shared/`));
}

/** The ways by which domains come back to themselves, each told once. @param imports the domains that each imports */
export function circlesOf(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (domain: string, way: readonly string[]) => {
    const since = way.indexOf(domain);
    if (since !== -1) circles.push([...way.slice(since), domain].join(' -> '));
    if (since !== -1 || done.has(domain)) return;
    for (const next of imports.get(domain) ?? []) walk(next, [...way, domain]);
    done.add(domain);
  };
  for (const domain of imports.keys()) walk(domain, []);
  return circles;
}
