import type { I18n } from '../release/model.ts';

export type NegotiatedLocale =
  | { readonly locale: string }
  /** A client names a locale that the site does not have, and the site refuses such ones. */
  | { readonly unknown: string };

/** Languages that are looked at in one header. */
const languagesMax = 50;
const tag = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * The locale of a request that a function answers. A language that a browser prefers and the site does not have leads to
 * the next one, and at last to the default; a cookie is a choice that was made here, so that an unknown one is refused or
 * passed on. Contract 03, section 3.8.
 */
export function negotiateLocale(
  { locales, defaultLocale, detect, unknownLocalePolicy }: I18n,
  headers: { readonly 'accept-language'?: string | undefined; readonly cookie?: string | undefined },
): NegotiatedLocale {
  for (const source of detect) {
    if (source === 'accept-language') {
      for (const asked of preferred(headers['accept-language'] ?? '')) {
        const found = lookup(locales, asked);
        if (found !== undefined) return { locale: found };
      }
      continue;
    }
    const asked = cookieOf(headers.cookie ?? '', source.slice('cookie:'.length));
    if (asked === undefined || !tag.test(asked)) continue;
    const found = sameAs(locales, asked);
    if (found !== undefined) return { locale: found };
    return unknownLocalePolicy === 'pass-through' ? { locale: asked } : { unknown: asked };
  }
  return { locale: defaultLocale };
}

const sameAs = (locales: readonly string[], asked: string): string | undefined =>
  locales.find((one) => one.toLowerCase() === asked.toLowerCase());

/** The longest beginning of a tag that is a locale. A general tag does not match a special locale. RFC 4647, section 3.4. */
function lookup(locales: readonly string[], asked: string): string | undefined {
  for (let left = asked; left !== ''; ) {
    const found = sameAs(locales, left);
    if (found !== undefined) return found;
    left = left.slice(0, Math.max(left.lastIndexOf('-'), 0));
    // What follows a single letter belongs to it.
    if (/-[A-Za-z0-9]$/.test(left)) left = left.slice(0, -2);
  }
  return undefined;
}

/** The languages of `Accept-Language`, the most wanted first. */
function preferred(header: string): string[] {
  return header
    .split(',', languagesMax)
    .flatMap((part) => {
      const [name = '', ...parameters] = part.split(';');
      const language = name.trim();
      const weight = parameters.find((one) => /^\s*q\s*=/i.test(one));
      const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf('=') + 1));
      return tag.test(language) && quality > 0 ? [{ language, quality }] : [];
    })
    .sort((a, b) => b.quality - a.quality)
    .map(({ language }) => language);
}

/** The first cookie of a name, as it was sent. */
function cookieOf(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
