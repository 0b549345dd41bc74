import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net, { type Socket, type TcpNetConnectOpts } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';
import { shakeHands } from './handshake.ts';

/**
 * There is no network in a box. Every connection by TCP is made to a socket of the gateway instead, which is told where
 * to, and connects. This is no wall: a function that goes around it finds nothing.
 */
let gatewaySocket = '';

type Callback = () => void;

/** Options and listener of a `connect`, in all of its forms. */
function argumentsOf(args: readonly unknown[]): {
  options: Partial<TcpNetConnectOpts> & { path?: string };
  listener: Callback | undefined;
} {
  // As `net.connect` hands them on.
  const given = Array.isArray(args[0]) ? args[0] : args;
  const listener = given.findLast((arg): arg is Callback => typeof arg === 'function');
  const [first, second] = given;
  if (typeof first === 'object' && first !== null) return { options: first, listener };
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { options: { path: first }, listener };
  return { options: { port: Number(first), ...(typeof second === 'string' ? { host: second } : {}) }, listener };
}

const connect = net.Socket.prototype.connect;
const connectTls = tls.connect;

function connectThrough(this: Socket, ...args: unknown[]): Socket {
  const { options, listener } = argumentsOf(args);
  // HTTP agents say null.
  if (typeof options.path === 'string') return Reflect.apply(connect, this, args);
  if (listener !== undefined) this.once('connect', listener);
  return shakeHands(this, () => Reflect.apply(connect, this, [{ path: gatewaySocket }]), `connect ${placeOf(options)}`);
}

const placeOf = ({ host, port }: Partial<TcpNetConnectOpts>) => `${host ?? 'localhost'} ${port ?? 0}`;

function connectTlsThrough(...args: unknown[]) {
  const { options, listener } = argumentsOf(args);
  const given: ConnectionOptions = { ...(typeof args[1] === 'object' ? args[1] : {}), ...options };
  if (given.socket !== undefined || typeof given.path === 'string') return connectTls(given, listener);
  // Not connected yet: TLS would take a connected socket's bytes below it, with the gateway's word among them.
  const socket = new net.Socket();
  // A certificate is of the name, unless there is none.
  const name = given.servername ?? (net.isIP(given.host ?? '') === 0 ? given.host : undefined);
  const secured = connectTls({ ...given, socket, ...(name === undefined ? {} : { servername: name }) }, listener);
  socket.connect({ host: given.host ?? 'localhost', port: given.port ?? 0 });
  return secured;
}

/** Asks the gateway for the addresses of a name. */
function askAddresses(host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = new net.Socket();
    let text = '';
    shakeHands(socket, () => Reflect.apply(connect, socket, [{ path: gatewaySocket }]), `lookup ${host} 0`);
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.on('end', () => resolve(text.trim().split(' ')));
    socket.on('error', reject);
  });
}

interface LookupOptions {
  readonly family?: number | string;
  readonly all?: boolean;
}

async function lookupAll(host: string, family: LookupOptions['family']) {
  const wanted = Number(String(family ?? 0).replace('IPv', ''));
  const all = (net.isIP(host) === 0 ? await askAddresses(host) : [host]).map((address) => ({
    address,
    family: net.isIP(address),
  }));
  const found = all.filter((one) => wanted === 0 || one.family === wanted);
  if (found.length > 0) return found;
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
    code: 'ENOTFOUND',
    syscall: 'getaddrinfo',
    hostname: host,
  });
}

type LookupCallback = (error: Error | null, ...found: unknown[]) => void;

function lookup(host: string, given: LookupOptions | number | LookupCallback, callback?: LookupCallback): void {
  const done = typeof given === 'function' ? given : callback!;
  const options: LookupOptions =
    typeof given === 'number' ? { family: given } : typeof given === 'function' ? {} : (given ?? {});
  lookupAll(host, options.family).then(
    (found) => (options.all === true ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
    (error: Error) => done(error),
  );
}

async function lookupPromise(host: string, given: LookupOptions | number = {}) {
  const options = typeof given === 'number' ? { family: given } : given;
  const found = await lookupAll(host, options.family);
  return options.all === true ? found : found[0];
}

/** Leads all connections through the gateway, by a socket of it. */
export function openTunnel(socket: string): void {
  gatewaySocket = socket;
  Object.assign(net.Socket.prototype, { connect: connectThrough });
  Object.assign(tls, { connect: connectTlsThrough });
  Object.assign(dns, { lookup });
  Object.assign(dns.promises, { lookup: lookupPromise });
  // For those who import them by name.
  syncBuiltinESMExports();
}
