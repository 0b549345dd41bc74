import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folders in the order imports may point: each may import what stands below it, and itself. */
const order = [
  ['server'],
  // These translate the same operations for different callers and never import each other.
  ['schema', 'rest-compat'],
  ['subscriptions'],
  ['resolvers'],
  ['engines'],
  ['db'],
  ['core'],
] as const;

/** Folders beside the product: they may import all of it, and nothing of it imports them. */
const outside = ['scripts', 'test', 'examples'];

/** Clients know HTTP and nothing of the product: each may import what is named beside it, and itself. */
const clients: Readonly<Record<string, readonly string[]>> = {
  'clients/sdk': [],
  'clients/cli': ['clients/sdk'],
  'clients/console': ['clients/sdk'],
};

const root = fileURLToPath(new URL('..', import.meta.url));
const levelOf = (folder: string) => order.findIndex((names) => (names as readonly string[]).includes(folder));
const imports =
  /(?:^|\n)\s*(?:import|export)[^'"\n]*?from\s*['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)|(?:^|\n)import\s*['"](\.[^'"]+)['"]/g;

/** Every import that points the wrong way, as `from -> to`. */
export async function boundaryCrossings(): Promise<string[]> {
  const crossings: string[] = [];
  const patterns = [...order.flat(), ...outside, 'clients'].map((folder) => `${folder}/**/*.{ts,tsx}`);
  for await (const file of glob(patterns, { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    // Import lists over several lines are folded first.
    for (const match of text.replace(/\{[^}]*\}/g, (list) => list.replaceAll('\n', ' ')).matchAll(imports)) {
      const target = relative(root, join(root, dirname(file), match[1] ?? match[2] ?? match[3]!));
      if (target !== 'package.json' && !mayImport(folderOf(file), folderOf(target)))
        crossings.push(`${file} -> ${target}`);
    }
  }
  return crossings.sort();
}

const folderOf = (file: string) => {
  const [first, second] = file.split('/');
  return first === 'clients' ? `${first}/${second}` : first!;
};

/** Whether a file of one folder may import a file of another. */
export function mayImport(from: string, to: string): boolean {
  if (outside.includes(from) || from === to) return true;
  if (from.startsWith('clients/')) return clients[from]?.includes(to) === true;
  return levelOf(to) !== -1 && levelOf(from) < levelOf(to);
}
