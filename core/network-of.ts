import { isIP } from 'node:net';

/** What limits count as one place: an IPv4 address, or the 64 bits of IPv6 that one customer is given. */
export function networkOf(address: string): string {
  // Told by a character before it is told by an expression: it is asked of every request.
  if (!address.includes(':') || isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/, '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
