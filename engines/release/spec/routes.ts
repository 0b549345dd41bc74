import { invalid } from '../errors.ts';
import type { RouteEntry, RoutePricing, RouteTarget } from '../model.ts';
import { distinct, integer, list, object, oneOf, optional, type Read } from './fields.ts';
import { functionName } from './functions.ts';
import { comparedPath, relativePath, urlPath } from './paths.ts';

/** Routes of a release, aliases of files among them. */
export const routesMax = 100;

const patternBytesMax = 256;

const methods = distinct(list(oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'), { min: 1, max: 7 }));

const pattern: Read<string> = (value, at) => {
  const found = urlPath(patternBytesMax)(value, at);
  const star = found.indexOf('*');
  if (star !== -1 && !(star === found.length - 1 && found.endsWith('/*')))
    throw invalid(at, 'may have a * at its end alone, after a slash');
  if (found === '/*') throw invalid(at, 'would match every path');
  return found;
};

const target: Read<RouteTarget> = (value, at) => {
  const given = object(value, at, ['type', 'name', 'file']);
  const type = oneOf('function', 'static')(given.type, `${at}.type`);
  if (type === 'function') {
    if (given.file !== undefined) throw invalid(`${at}.file`, 'goes with the type static alone');
    return { type, name: functionName(given.name, `${at}.name`) };
  }
  if (given.name !== undefined) throw invalid(`${at}.name`, 'goes with the type function alone');
  const file = relativePath(given.file, `${at}.file`);
  if (/[?#]/.test(file)) throw invalid(`${at}.file`, 'must be a path, without ? and #');
  return { type, file };
};

const pricing: Read<RoutePricing> = (value, at) => {
  const given = object(value, at, ['mode', 'amount_usd_micros', 'pay_to', 'networks', 'receipt']);
  const networks = distinct(list(oneOf('mainnet', 'testnet'), { min: 1, max: 2 }));
  const receipt = optional(oneOf('on_fulfillment'))(given.receipt, `${at}.receipt`);
  return {
    mode: oneOf('always')(given.mode, `${at}.mode`),
    amountUsdMicros: integer(1, Number.MAX_SAFE_INTEGER)(given.amount_usd_micros, `${at}.amount_usd_micros`),
    payTo: oneOf('org_default_payout')(given.pay_to, `${at}.pay_to`),
    networks: optional(networks)(given.networks, `${at}.networks`) ?? ['mainnet'],
    ...(receipt === undefined ? {} : { receipt }),
  };
};

const members = ['pattern', 'methods', 'target', 'pricing', 'acknowledge_readonly'];

const route: Read<RouteEntry> = (value, at) => {
  const given = object(value, at, members);
  const found = pattern(given.pattern, `${at}.pattern`);
  const isPrefix = found.endsWith('/*');
  const leadsTo = target(given.target, `${at}.target`);
  const allowed = optional(methods)(given.methods, `${at}.methods`) ?? null;
  const price = optional(pricing)(given.pricing, `${at}.pricing`);
  const readonly = given.acknowledge_readonly;
  if (leadsTo.type === 'static') {
    if (isPrefix) throw invalid(`${at}.pattern`, 'leads to one file, so it must be exact');
    if (price !== undefined) throw invalid(`${at}.pricing`, 'goes with functions alone');
    if (allowed?.some((method) => method !== 'GET' && method !== 'HEAD') || allowed?.includes('GET') === false)
      throw invalid(`${at}.methods`, 'must be GET, or GET and HEAD, for a file');
  }
  const onlyReads = allowed?.every((method) => method === 'GET' || method === 'HEAD');
  if (readonly !== undefined && (readonly !== true || !isPrefix || leadsTo.type === 'static' || !onlyReads))
    throw invalid(
      `${at}.acknowledge_readonly`,
      'may be true on a function route that ends in /* and has GET or HEAD alone',
    );
  return {
    pattern: found,
    kind: isPrefix ? 'prefix' : 'exact',
    prefix: isPrefix ? found.slice(0, -1) : null,
    methods: leadsTo.type === 'static' ? ['GET', 'HEAD'] : allowed === null ? null : [...allowed].sort(),
    target: leadsTo,
    ...(price === undefined ? {} : { pricing: price }),
    ...(readonly === true ? { acknowledgeReadonly: true } : {}),
  };
};

/** A pattern as two of them are alike: without a slash at the end. */
export const normalPattern = (of: string): string => (of.length > 1 && of.endsWith('/') ? of.slice(0, -1) : of);

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The methods that a route answers; who answers GET answers HEAD. */
export const answered = ({ methods: some }: RouteEntry): readonly string[] =>
  some === null ? everyMethod : some.includes('GET') ? [...new Set([...some, 'HEAD'])] : some;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The order of matching: exact before prefix, the longer prefix first, then by name. */
export const inOrder = (routes: readonly RouteEntry[]): RouteEntry[] =>
  [...routes].sort(
    (a, b) =>
      compare(a.kind, b.kind) ||
      (b.prefix?.length ?? 0) - (a.prefix?.length ?? 0) ||
      compare(a.pattern, b.pattern) ||
      compare(String(a.methods ?? ''), String(b.methods ?? '')) ||
      compare(JSON.stringify(a.target), JSON.stringify(b.target)),
  );

/** Contract 03, section 2.11.11. */
export const routes: Read<readonly RouteEntry[] | undefined> = (value, at) => {
  if (value === null) return undefined;
  const given = object(value, at, ['replace']);
  const found = list(route, { max: routesMax })(given.replace, `${at}.replace`);
  const seen = new Map<string, number>();
  for (const [place, one] of found.entries()) {
    for (const method of answered(one)) {
      const key = `${method} ${normalPattern(one.kind === 'exact' ? comparedPath(one.pattern) : `${comparedPath(one.prefix!)}*`)}`;
      const other = seen.get(key);
      if (other !== undefined && other !== place)
        throw invalid(`${at}.replace.${place}`, `answers ${key}, which entry ${other} does, too`, {
          pattern: one.pattern,
        });
      seen.set(key, place);
    }
  }
  return inOrder(found);
};
