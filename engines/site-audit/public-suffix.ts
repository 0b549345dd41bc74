import { readFileSync } from 'node:fs';

/** Labels that may tell: those of the longest rule, and the one before it. */
const labelsMax = 8;

let rules: ReadonlySet<string> | undefined;

const load = (): ReadonlySet<string> =>
  new Set(readFileSync(new URL('./data/public-suffixes.txt', import.meta.url), 'utf8').split('\n'));

/** The registered domain of a host, such as `shop.co.uk` of `www.shop.co.uk`. */
export function registrableHost(host: string): string {
  rules ??= load();
  const labels = host.split('.').slice(-labelsMax);
  for (let at = 0; at < labels.length; at += 1) {
    const rest = labels.slice(at).join('.');
    if (rules.has(`!${rest}`)) return rest;
    const isSuffix = rules.has(rest) || rules.has(`*.${labels.slice(at + 1).join('.')}`);
    if (isSuffix) return labels.slice(Math.max(0, at - 1)).join('.');
  }
  return labels.slice(-2).join('.');
}
