import { readUrl } from '../../core/urls.ts';

/**
 * The rules of a project's list of allowed redirect URLs, as pure functions. Everything is judged as the WHATWG URL
 * parser reads it, because browsers read it so; the text that came in is never used again.
 */

/** Most entries of a project's list. */
export const redirectUrlsMax = 50;

/**
 * Whether a host is the machine that the browser runs on: `localhost`, a name below it, 127.0.0.0/8 or `[::1]`. Plain
 * HTTP to it crosses no network.
 *
 * @param hostname as the URL parser writes it
 */
export const isLoopback = (hostname: string): boolean =>
  isLocalName(hostname) || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Whether a name is `localhost`, or below it. */
export const isLocalName = (hostname: string): boolean => /^(.+\.)?localhost$/.test(hostname);

/** Why a URL can be no redirect of any list; undefined for one that can. */
function whyNever(url: URL): string | undefined {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    return 'must be https, or http on localhost, 127.0.0.0/8 or [::1]';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  if (url.hostname.endsWith('.')) return 'must not have a host that ends in a dot';
  // Some servers decode these before they look at a path, and so leave the folder that was allowed.
  if (/\/\/|\/\.{1,2};|%(?:25)*(?:2f|5c|2e|0[0-9a-f]|1[0-9a-f]|7f)/i.test(url.pathname))
    return 'must not have a path with `//`, or with an escaped slash, backslash, dot or control character, or `..;`';
  return undefined;
}

/** An entry as it is kept, or why a text can be none. */
export type RedirectEntry = { readonly entry: string } | { readonly reason: string };

/**
 * Writes an entry of the list as the URL parser does, without a slash at its end: an origin, and a path unless the entry
 * is for the whole origin.
 */
export function readEntry(text: string): RedirectEntry {
  const url = readUrl(text);
  if (/\*/.test(url?.href ?? text))
    return { reason: 'must not hold a wildcard: name each host; a path covers all below it' };
  if (url === undefined) return { reason: 'must be a URL, such as https://app.example.com/auth' };
  const reason = whyNever(url);
  if (reason !== undefined) return { reason };
  // An empty query or fragment leaves no trace in `search` and `hash`.
  if (/[?#]/.test(url.href)) return { reason: 'must not hold a query or a fragment: these are free in a redirect' };
  return { entry: entryOf(url) };
}

/** The entry that would allow exactly this URL and those below it; undefined where no entry can. */
export const entryFor = (url: URL): string | undefined => (whyNever(url) === undefined ? entryOf(url) : undefined);

const entryOf = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/$/, '')}`;

/** Whether an entry covers a URL: the same origin, and the path of the entry or one below it. */
export function isListed(url: URL, entries: readonly string[]): boolean {
  const asked = entryFor(url);
  return asked !== undefined && entries.some((entry) => asked === entry || asked.startsWith(`${entry}/`));
}

/** Whether an entry is of this origin: passkeys are bound to origins, and know no paths. */
export const isListedOrigin = (url: URL, entries: readonly string[]): boolean =>
  whyNever(url) === undefined && entries.some((entry) => new URL(entry).origin === url.origin);
