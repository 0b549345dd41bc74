import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Addresses and networks whose `X-Forwarded-For` is believed. */
export type TrustedProxies = BlockList;

/** Reads addresses and CIDR networks separated by commas; undefined when one of them is neither. */
export function readTrustedProxies(value: string): TrustedProxies | undefined {
  const trusted = new BlockList();
  for (const entry of value.split(',')) {
    const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(entry.trim()) ?? [];
    const bits = isIP(address) === 4 ? 32 : 128;
    if (isIP(address) === 0 || Number(prefix ?? bits) > bits) return undefined;
    trusted.addSubnet(address, Number(prefix ?? bits), familyOf(address));
  }
  return trusted;
}

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/**
 * Where a request comes from: the peer, or, when that is a trusted proxy, the last hop of `X-Forwarded-For` that is
 * none. What stands before that hop was written by the client.
 */
export function clientAddress({ socket, headers }: IncomingMessage, trusted: TrustedProxies | undefined): string {
  let address = plain(socket.remoteAddress ?? 'unknown');
  if (trusted === undefined) return address;
  const hops = String(headers['x-forwarded-for'] ?? '').split(',');
  while (hops.length > 0 && isIP(address) !== 0 && trusted.check(address, familyOf(address))) {
    const hop = plain(withoutPort(hops.pop()!.trim()));
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Whether what a request says of its way here can be believed: it comes from a trusted proxy. */
export function isTrustedPeer({ socket }: IncomingMessage, trusted: TrustedProxies | undefined): boolean {
  if (trusted === undefined) return false;
  const address = plain(socket.remoteAddress ?? 'unknown');
  return isIP(address) !== 0 && trusted.check(address, familyOf(address));
}

const withoutPort = (hop: string) =>
  /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;

/** A socket that listens on both families shows IPv4 peers as IPv6. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');
