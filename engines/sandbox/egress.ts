import { lookup as systemLookup } from 'node:dns';
import { chmod, open } from 'node:fs/promises';
import { connect, createServer, isIP, type Socket } from 'node:net';
import { addressKind } from '../../core/address-kinds.ts';
import { giveTo } from './launch.ts';

/** Where functions reach the platform. */
export interface PlatformPlace {
  /** The name and port that functions are told. */
  readonly host: string;
  readonly port: number;
  /** Where the gateway listens, when the name is one of this machine. @default what the name resolves to, in any network */
  readonly at?: Address | undefined;
}

export interface EgressOptions {
  /** The platform itself: the one place that need not be in the public internet. Asked at each connection. */
  readonly platform?: (() => PlatformPlace | undefined) | undefined;
  /** Addresses that an operator named, and that functions may reach although they are not public. */
  readonly namedAddresses?: readonly string[] | undefined;
  /** Resolves host names. @default the system's resolver */
  readonly resolve?: typeof systemLookup | undefined;
  /** Longest that a connection may take to be there, in milliseconds. @default 10_000 */
  readonly connectMs?: number | undefined;
}

/** Connections that one box may have at once. */
const connectionsMax = 100;
const requestBytesMax = 300;

/** Why a box gets no connection. The code is what the function sees. */
class EgressError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The way out of one box. */
export interface EgressDoor {
  readonly close: () => Promise<void>;
}

export type Egress = ReturnType<typeof createEgress>;

interface Address {
  readonly address: string;
  readonly port: number;
}

/**
 * Connects boxes with the public internet: it takes one line from each connection, resolves the name once, judges every
 * address, and connects to one that was judged.
 */
export function createEgress({
  platform,
  namedAddresses = [],
  resolve = systemLookup,
  connectMs = 10_000,
}: EgressOptions) {
  const counts = new Map<string, { opened: number; refused: number }>();
  const isAllowed = (address: string) => addressKind(address) === 'public' || namedAddresses.includes(address);

  const count = (project: string, which: 'opened' | 'refused') => {
    const before = counts.get(project) ?? { opened: 0, refused: 0 };
    counts.set(project, { ...before, [which]: before[which] + 1 });
  };

  /** Every address of a host; none when one of them is no place for a function. @throws EgressError */
  async function addressesOf(host: string): Promise<string[]> {
    const found = isIP(host) === 0 ? await resolved(host) : [host];
    if (!found.every(isAllowed)) throw new EgressError('EGRESS_FORBIDDEN', `${host} is not in the public internet.`);
    return found;
  }

  const resolved = (host: string) =>
    new Promise<string[]>((done, failed) => {
      resolve(host, { all: true }, (error, found) => {
        if (error !== null || found.length === 0) failed(new EgressError('ENOTFOUND', `getaddrinfo ENOTFOUND ${host}`));
        else done(found.map(({ address }) => address));
      });
    });

  async function placesOf(host: string, port: number): Promise<Address[]> {
    const own = platform?.();
    if (own !== undefined && own.host === host && own.port === port) return placesOfPlatform(own);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new EgressError('EINVAL', 'The port is no number of a port.');
    return (await addressesOf(host)).map((address) => ({ address, port }));
  }

  /** Wherever its name leads; to no one's metadata, though. */
  async function placesOfPlatform({ host, port, at }: PlatformPlace): Promise<Address[]> {
    if (at !== undefined) return [at];
    const found = await resolved(host);
    return found.filter((address) => addressKind(address) !== 'forbidden').map((address) => ({ address, port }));
  }

  /** Connects to the first of a host's addresses that answers. */
  async function dial(host: string, port: number): Promise<Socket> {
    let last = new EgressError('ECONNREFUSED', `${host} has no address.`);
    for (const { address, port: at } of (await placesOf(host, port)).slice(0, 3)) {
      try {
        return await connected(address, at);
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        last = error;
      }
    }
    throw last;
  }

  const connected = (host: string, port: number) =>
    new Promise<Socket>((done, failed) => {
      const socket = connect({ host, port, allowHalfOpen: true });
      const late = setTimeout(
        () => socket.destroy(Object.assign(new Error('It took too long.'), { code: 'ETIMEDOUT' })),
        connectMs,
      );
      socket.once('connect', () => {
        clearTimeout(late);
        socket.removeAllListeners('error');
        done(socket);
      });
      socket.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(late);
        failed(new EgressError(error.code ?? 'ECONNREFUSED', `connect ${error.code ?? 'failed'} ${host}:${port}`));
      });
    });

  /** Serves one connection of a box, which has sent its line. */
  async function serve(box: Socket, project: string | undefined, request: string): Promise<void> {
    try {
      if (project === undefined) throw new EgressError('EGRESS_FORBIDDEN', 'No function is loaded.');
      const [verb, host = '', port] = request.split(' ');
      if (verb === 'lookup') {
        box.end(`ok\n${(await addressesOf(host)).join(' ')}`);
        return;
      }
      const other = await dial(host, Number(port));
      count(project, 'opened');
      join(box, other);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      if (project !== undefined) count(project, 'refused');
      box.end(`error ${error.code} ${error.message}\n`);
    }
  }

  return {
    counts: (): ReadonlyMap<string, { readonly opened: number; readonly refused: number }> => counts,
    /**
     * Opens the way out of one box.
     *
     * @param project the one whose function is loaded
     */
    async open(folder: string, uid: number | undefined, project: () => string | undefined): Promise<EgressDoor> {
      const boxes = new Set<Socket>();
      const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (box) => {
        boxes.add(box);
        box.on('close', () => boxes.delete(box));
        box.on('error', () => box.destroy());
        readLine(box, connectMs, (request) => void serve(box, project(), request));
      });
      server.maxConnections = connectionsMax;
      // A path below the open folder is short, wherever the folder lies: the path of a socket has 107 bytes at most.
      const handle = await open(folder);
      const path = `/proc/self/fd/${handle.fd}/egress.sock`;
      try {
        await new Promise<void>((done, failed) => server.once('error', failed).listen(path, done));
        await chmod(path, 0o600);
        await giveTo(uid, path);
      } catch (error) {
        await handle.close();
        throw error;
      }
      return {
        async close() {
          for (const box of boxes) box.destroy();
          // It removes its path, which has to lead to the same folder until then.
          server.close();
          await handle.close();
        },
      };
    },
  };
}

/** Reads the first line of a connection, and nothing behind it. */
function readLine(socket: Socket, waitMs: number, onLine: (line: string) => void): void {
  let line = '';
  const late = setTimeout(() => socket.destroy(), waitMs);
  socket.on('close', () => clearTimeout(late));
  const read = () => {
    for (let byte: Buffer | null = socket.read(1); byte !== null; byte = socket.read(1)) {
      if (byte[0] === 0x0a) {
        socket.off('readable', read);
        clearTimeout(late);
        onLine(line);
        return;
      }
      line += byte.toString('latin1');
      if (line.length > requestBytesMax) {
        socket.destroy();
        return;
      }
    }
  };
  socket.on('readable', read);
}

/** Lets two connections be one: each side ends with the other. */
function join(box: Socket, other: Socket): void {
  other.on('error', () => box.destroy());
  box.on('close', () => other.destroy());
  box.write('ok\n');
  box.pipe(other);
  other.pipe(box);
}
