/**
 * The client's half of HTTP, as thin as it can be: of an answer nothing is read but its status and its length. Where
 * headers are long, whatever reads all of them is what would be measured.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { HttpRequest, LoadAnswer, LoadCommand } from './load-protocol.ts';

const endOfHead = Buffer.from('\r\n\r\n');
/** In the letters of Node, and in those of nginx. */
const lengthNames = ['content-length: ', 'Content-Length: '].map((name) => Buffer.from(name));
const lengthBytes = lengthNames[0]!.length;
const statusAt = 'HTTP/1.1 '.length;

/** A request as it goes over the wire. */
function bytesOf({ method, path, headers, body = '' }: HttpRequest, host: string): Buffer {
  const lines = Object.entries({
    host,
    ...headers,
    ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
  });
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

/** The digits from a place on, as a number. */
function numberAt(bytes: Buffer, at: number): number {
  let number = 0;
  for (let digit = bytes[at]! - 48; digit >= 0 && digit <= 9; digit = bytes[++at]! - 48) number = number * 10 + digit;
  return number;
}

/** Where the answer ends; undefined while some of it has yet to come. @throws for one without a length */
function endOf(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(endOfHead);
  if (head === -1) return undefined;
  const named = lengthNames.reduce((found, name) => (found === -1 ? bytes.indexOf(name) : found), -1);
  if (named === -1 || named > head) throw new Error('An answer does not say how long it is.');
  const end = head + endOfHead.length + numberAt(bytes, named + lengthBytes);
  return end <= bytes.length ? end : undefined;
}

/** Closed-loop load, as `load.ts` makes it. */
export async function thinLoad({ url, requests, connections, seconds }: LoadCommand): Promise<LoadAnswer> {
  const { hostname, port, host } = new URL(url);
  const asked = requests.map((request) => bytesOf(request, host));
  const expected = requests[0]?.expected;
  const took: number[] = [];
  let failed = 0;
  let over = false;
  const open = async (nth: number): Promise<Socket> => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    // Each connection begins elsewhere in the list, or all would ask for the same thing at the same time.
    let next = Math.floor((nth * asked.length) / connections);
    let sentAt = 0;
    const ask = () => {
      sentAt = performance.now();
      socket.write(asked[next++ % asked.length]!);
    };
    let rest: Buffer | undefined;
    socket.on('data', (chunk) => {
      const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      const end = endOf(bytes);
      rest = end === undefined ? bytes : undefined;
      if (end === undefined || over) return;
      const status = numberAt(bytes, statusAt);
      if (expected === undefined ? status >= 200 && status < 300 : status === expected)
        took.push(performance.now() - sentAt);
      else failed++;
      ask();
    });
    // What breaks is not opened anew: a round with a failure does not count.
    const broken = () => {
      if (!over) failed++;
    };
    socket.on('error', broken).on('end', broken);
    ask();
    return socket;
  };
  const startedAt = performance.now();
  const sockets = await Promise.all(Array.from({ length: connections }, (_one, nth) => open(nth)));
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  over = true;
  const lasted = (performance.now() - startedAt) / 1000;
  for (const socket of sockets) socket.destroy();
  const sorted = took.sort((left, right) => left - right);
  const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { answered: took.length, seconds: lasted, failed, p50: share(0.5), p99: share(0.99) };
}
