import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A folder that belongs to this process. */
export interface OwnFolder {
  readonly path: string;
  /** Removes it. */
  readonly remove: () => Promise<void>;
}

/**
 * Folders of this machine that are in use begin with the first, those that are being made with the other. A folder of data
 * may be one of several machines, whose sockets nobody can ask from here.
 */
const prefixes = { used: `boxes-${machine()}-`, made: `new-boxes-${machine()}-` };

/** Tells machines apart, and is the same in all of their containers, until the machine starts anew. */
function machine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return hostname();
  }
}

/** A socket that takes connections as long as its process lives, whatever container that is in. */
const socketName = 'alive.sock';

/** How old a folder that is being made can be, in milliseconds. */
const madeMs = 60_000;

const removal = { recursive: true, force: true, maxRetries: 5 };

/** Makes a folder for the boxes of this process, and removes those of processes that were killed. */
export async function makeOwnFolder(parent: string): Promise<OwnFolder> {
  // What cannot be removed is in nobody's way.
  for (const name of await readdir(parent))
    if (await isAbandoned(parent, name)) await rm(join(parent, name), removal).catch(() => undefined);
  const made = await mkdtemp(join(parent, prefixes.made));
  const handle = await open(made);
  const server = createServer((socket) => socket.destroy());
  const removeAt = async (path: string) => {
    server.close();
    await handle.close();
    await rm(path, removal);
  };
  try {
    server.listen(socketIn(made, handle));
    await once(server, 'listening');
    server.unref();
    // It gets its name when it can be asked who lives there, so that nobody takes it for abandoned.
    const path = join(parent, made.slice(join(parent, 'new-').length));
    await rename(made, path);
    return { path, remove: () => removeAt(path) };
  } catch (error) {
    await removeAt(made);
    throw error;
  }
}

/** Paths of sockets have 107 bytes at most; on Linux, where boxes are, an open folder gives any of them a short one. */
const socketIn = (folder: string, handle: FileHandle): string =>
  process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/${socketName}` : join(folder, socketName);

async function isAbandoned(parent: string, name: string): Promise<boolean> {
  const path = join(parent, name);
  if (name.startsWith(prefixes.made)) {
    const found = await stat(path).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > madeMs;
  }
  return name.startsWith(prefixes.used) && !(await isLived(path));
}

/** Whether a process listens there: the kernel refuses connections to a socket that a dead one has left. */
async function isLived(folder: string): Promise<boolean> {
  const handle = await open(folder).catch(() => undefined);
  if (handle === undefined) return true;
  const socket = connect(socketIn(folder, handle));
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    // Whatever else is the matter does not say that nobody is there.
    return !['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    socket.destroy();
    await handle.close();
  }
}
