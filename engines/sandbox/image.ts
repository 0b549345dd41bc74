import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where a box finds what runs in it: see `inside/`. */
export const runtimeFolder = '/runtime';

/** Folders and files that others are mounted on. */
const mountPoints = ['code', 'old', 'proc', 'run', 'tmp'];

/** Programs that end the making of a box from inside, and stay in it; without rights neither can do anything. */
const tools = ['setpriv', 'umount'];

/**
 * Makes the read-only root of all boxes: the libraries of Node.js, two tools, the runtime, and mount points. Nothing
 * else of the machine is in it, neither a shell nor a compiler nor a configuration.
 *
 * @param folder an empty one, on a file system that programs may be run from
 * @throws Error when a tool is missing; the runtime is there all the same
 */
export async function makeImage(folder: string, node: string): Promise<void> {
  for (const name of [...mountPoints, 'etc', 'lib', 'tools', runtimeFolder]) await mkdir(join(folder, name));
  // The loader is looked for under this name on some machines, and libraries under both.
  await mkdir(join(folder, 'lib64'));
  await writeFile(join(folder, 'node'), '');
  // Libraries ask for the user, whose number is 0 inside.
  await writeFile(join(folder, 'etc/passwd'), 'function:x:0:0::/tmp:/none\n');
  await writeFile(join(folder, 'etc/group'), 'function:x:0:\n');

  await writeRuntime(join(folder, runtimeFolder));
  if (process.platform !== 'linux') return;
  const copies = await Promise.all(tools.map((name) => copyProgram(name, join(folder, 'tools'))));
  const libraries = await Promise.all([node, ...copies].map(librariesOf));
  for (const library of new Set(libraries.flat()))
    for (const place of ['lib', 'lib64']) await copyFile(library, join(folder, place, basename(library)));
}

/** Copies a program, found by its name, without the bit that gives it another user's rights. */
async function copyProgram(name: string, folder: string): Promise<string> {
  const copy = join(folder, name);
  await copyFile(await findProgram(name), copy);
  await chmod(copy, 0o755);
  return copy;
}

/** @throws Error when it is not installed */
export async function findProgram(name: string): Promise<string> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  for (const folder of folders) {
    const path = join(folder, name);
    if (isAbsolute(folder) && existsSync(path)) return path;
  }
  throw new Error(`The program ${name} is not installed.`);
}

/** Shared libraries of a program and its loader, as the loader itself tells them. */
async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run(program, ['--version'], { env: { LD_TRACE_LOADED_OBJECTS: '1' } });
  return [...stdout.matchAll(/(?:=>\s*|^\s*)(\/\S+)/gm)].map(([, path]) => path!);
}

/**
 * Writes the programs of `inside/` without their types: for Node.js to strip them in each box would cost each 10 MiB
 * and 40 ms.
 */
async function writeRuntime(folder: string): Promise<void> {
  const sources = new URL('./inside/', import.meta.url);
  for (const name of await readdir(sources)) {
    const source = await readFile(new URL(name, sources), 'utf8');
    const plain = stripTypeScriptTypes(source).replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.mjs'");
    await writeFile(join(folder, name.replace(/\.ts$/, '.mjs')), plain);
  }
}
