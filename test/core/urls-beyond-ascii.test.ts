import { expect, test } from 'vitest';
import { connect } from '../../clients/sdk/src/connection.ts';
import { readUrl } from '../../core/urls.ts';
import { addressOf } from '../../engines/site-audit/address.ts';
import { parseTarget } from '../../engines/site-audit/target.ts';
import { requireOwnOriginOf } from '../../resolvers/auth/hosted/csrf.ts';
import { urlOf } from '../../server/config-values.ts';

const url = 'https://münchen.audit-sites.net/';
const ascii = 'https://xn--mnchen-3ya.audit-sites.net';

/** Node.js optimises a function after some thousand calls, and may answer otherwise from then on. */
const calls = 10_000;

test.each<[string, () => unknown]>([
  ['a target of an audit', () => parseTarget(url).origin],
  ['an address of a site', () => addressOf(url)?.origin],
  ['an address relative to another', () => addressOf('/path', url)?.origin],
  ['a redirect URL', () => readUrl(url)?.origin],
  ['a setting', () => urlOf(url, 'https')?.origin],
  ['the address of a gateway', () => connect({ baseUrl: url }).baseUrl],
  ['a Referer', () => requireOwnOriginOf({ referer: url }, ascii) ?? ascii],
])('%s with a host beyond ASCII is read alike however often', (_what, read) => {
  const found = new Set(Array.from({ length: calls }, read));
  expect([...found]).toEqual([ascii]);
});
