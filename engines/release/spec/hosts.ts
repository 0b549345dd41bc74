import { invalid, SpecError } from '../errors.ts';
import type { I18n } from '../model.ts';
import { distinct, either, integer, list, matching, object, oneOf, optional, type Read, text } from './fields.ts';
import type { Check, ReleaseSpec } from './release-spec.ts';

/** A label below the platform's domain. Contract 03, section 2.11.10. */
export const subdomainPattern = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;

const subdomain = matching(subdomainPattern, 'must be 3 to 63 small letters, digits and -, with no - at its ends');
const names = distinct(list(subdomain, { max: 100 }));

/** Contract 03, section 2.11.10: one name at the most. */
export const subdomains: Read<NonNullable<ReleaseSpec['subdomains']>> = (value, at) => {
  const given = object(value, at, ['set', 'add', 'remove']);
  const [set, add = [], remove = []] = (['set', 'add', 'remove'] as const).map((name) =>
    optional(names)(given[name], `${at}.${name}`),
  );
  if (set !== undefined && (given.add !== undefined || given.remove !== undefined))
    throw invalid(`${at}.set`, 'cannot go together with add and remove');
  const both = add.find((one) => remove.includes(one));
  if (both !== undefined) throw invalid(`${at}.remove`, `names ${both}, which is added, too`, { name: both });
  for (const [member, list] of [
    ['set', set ?? []],
    ['add', add],
  ] as const)
    if (list.length > 1)
      throw new SpecError('SUBDOMAIN_MULTI_NOT_SUPPORTED', 'A project has one subdomain at the most.', {
        resource: `${at}.${member}`,
        details: { names: list },
      });
  return { set, add, remove };
};

const locale: Read<string> = (value, at) => {
  const tag = matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)(value, at);
  const canonical = canonicalLocale(tag);
  if (canonical !== tag)
    throw new SpecError('SVC_LOCALE_NOT_CANONICAL', `${at} is written ${canonical}.`, {
      resource: at,
      fix: { input: tag, canonical },
    });
  return tag;
};

/** A tag of the standard in its usual letters; others are names of the client's own, and stay as they are. */
function canonicalLocale(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag;
  } catch {
    return tag;
  }
}

const cookieName = /^cookie:[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;

const source: Read<string> = (value, at) => {
  const found = text(160)(value, at);
  if (found !== 'accept-language' && !cookieName.test(found))
    throw invalid(at, 'must be accept-language or cookie:<name>');
  return found;
};

/** Contract 03, section 2.11.12. */
export const i18n: Read<I18n | null> = (value, at) => {
  if (value === null) return null;
  const members = [
    'default_locale',
    'defaultLocale',
    'locales',
    'detect',
    'unknown_locale_policy',
    'unknownLocalePolicy',
  ];
  const given = object(value, at, members);
  const locales = distinct(list(locale, { min: 1, max: 50 }))(given.locales, `${at}.locales`);
  const defaultLocale = text(64)(either(given, at, 'default_locale', 'defaultLocale'), `${at}.default_locale`);
  if (!locales.includes(defaultLocale)) throw invalid(`${at}.default_locale`, 'must be one of the locales');
  const policy = oneOf('reject', 'pass-through');
  return {
    defaultLocale,
    locales,
    detect: optional(distinct(list(source, { max: 10 })))(given.detect, `${at}.detect`) ?? ['accept-language'],
    unknownLocalePolicy:
      optional(policy)(
        either(given, at, 'unknown_locale_policy', 'unknownLocalePolicy'),
        `${at}.unknown_locale_policy`,
      ) ?? 'reject',
  };
};

const status = integer(100, 599);

const check: Read<Check> = (value, at) => {
  const given = object(value, at, ['name', 'http']);
  const http = object(given.http, `${at}.http`, ['path', 'method', 'expect']);
  const expected = object(http.expect, `${at}.http.expect`, ['status']);
  const where = `${at}.http.expect.status`;
  return {
    name: text(128)(given.name, `${at}.name`),
    path: matching(/^\/(?![/\\])/, 'must be a path of the site')(http.path, `${at}.http.path`),
    method:
      optional(oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'))(http.method, `${at}.http.method`) ??
      'GET',
    status: Array.isArray(expected.status)
      ? list(status, { min: 1, max: 20 })(expected.status, where)
      : [status(expected.status, where)],
  };
};

/** Contract 03, section 2.11.13. A report tells checks apart by their names. */
export const checks: Read<Check[]> = (value, at) => {
  const found = list(check, { max: 100 })(value, at);
  distinct<string>(() => found.map(({ name }) => name))(value, at);
  return found;
};
