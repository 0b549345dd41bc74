import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Addresses and networks whose `X-Forwarded-For` is believed. */
export class TrustedProxies {
  readonly #all = new BlockList();
  /** Those of IPv4 once more: Node's list makes an object for each look, and to free those takes a tenth of a request. */
  readonly #networks: { readonly mask: number; readonly base: number }[] = [];
  /** A network of IPv6 may hold what is written as IPv4, too. */
  #hasOthers = false;

  /** @param prefix how many of the leading bits of the address count */
  add(address: string, prefix: number): void {
    const number = ipv4Of(address);
    this.#all.addSubnet(address, prefix, number === undefined ? 'ipv6' : 'ipv4');
    if (number === undefined) this.#hasOthers = true;
    // To shift by 32 bits is to shift by none.
    const mask = prefix === 0 ? 0 : -1 << (32 - prefix);
    if (number !== undefined) this.#networks.push({ mask, base: number & mask });
  }

  has(address: string): boolean {
    const number = ipv4Of(address);
    if (number === undefined) return isIP(address) === 6 && this.#all.check(address, 'ipv6');
    for (const { mask, base } of this.#networks) if ((number & mask) === base) return true;
    return this.#hasOthers && this.#all.check(address, 'ipv4');
  }
}

const [zero, nine, dot] = [48, 57, 46];

/**
 * An IPv4 address as a number of 32 bits; undefined for what is none. Read by its characters, which is quicker than
 * Node's expression: it is asked of several addresses for each request.
 */
export function ipv4Of(address: string): number | undefined {
  let number = 0;
  let parts = 0;
  let part = -1;
  for (let at = 0; at <= address.length; at++) {
    const code = at === address.length ? dot : address.charCodeAt(at);
    if (code === dot) {
      if (part === -1 || ++parts > 4) return undefined;
      number = (number << 8) | part;
      part = -1;
    } else {
      // No part begins with a zero but zero itself.
      if (code < zero || code > nine || part === 0) return undefined;
      part = (part === -1 ? 0 : part * 10) + (code - zero);
      if (part > 255) return undefined;
    }
  }
  return parts === 4 ? number : undefined;
}

/** Reads addresses and CIDR networks separated by commas; undefined when one of them is neither. */
export function readTrustedProxies(value: string): TrustedProxies | undefined {
  const trusted = new TrustedProxies();
  for (const entry of value.split(',')) {
    const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(entry.trim()) ?? [];
    const bits = isIP(address) === 4 ? 32 : 128;
    if (isIP(address) === 0 || Number(prefix ?? bits) > bits) return undefined;
    trusted.add(address, Number(prefix ?? bits));
  }
  return trusted;
}

/**
 * Where a request comes from: the peer, or, when that is a trusted proxy, the last hop of `X-Forwarded-For` that is
 * none. The client wrote what comes before that hop.
 */
export function clientAddress({ socket, headers }: IncomingMessage, trusted: TrustedProxies | undefined): string {
  let address = plain(socket.remoteAddress ?? 'unknown');
  if (trusted === undefined) return address;
  const hops = String(headers['x-forwarded-for'] ?? '').split(',');
  while (hops.length > 0 && trusted.has(address)) {
    const hop = plain(withoutPort(hops.pop()!.trim()));
    if (ipv4Of(hop) === undefined && isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Whether what a request says of its way here can be believed: it comes from a trusted proxy. */
export function isTrustedPeer({ socket }: IncomingMessage, trusted: TrustedProxies | undefined): boolean {
  return trusted?.has(plain(socket.remoteAddress ?? 'unknown')) === true;
}

const withoutPort = (hop: string) =>
  !/[:[]/.test(hop)
    ? hop
    : (/^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop);

/** A socket that listens on both families shows IPv4 peers as IPv6. */
const plain = (address: string) => (address.startsWith('::') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address);
