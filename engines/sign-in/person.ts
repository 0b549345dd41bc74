import type { Person } from './identity-provider.ts';
import { ProviderError } from './provider-error.ts';

/** OpenID Connect allows 255 characters; no identifier may be cut into another one. */
const subjectCharactersMax = 255;
const nameCharactersMax = 200;
const pictureCharactersMax = 2_048;

/** Who the claims of a provider speak of; what of them cannot be kept is left out. @throws ProviderError */
export function personOf(claims: Readonly<Record<string, unknown>>): Person {
  const { sub, email, email_verified, name, picture } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > subjectCharactersMax || !/^[\x20-\x7e]+$/.test(sub))
    throw new ProviderError('token_exchange_failed', 'subject');
  return {
    subject: sub,
    email: typeof email === 'string' ? email : null,
    // Some providers write it as a text.
    emailVerified: email_verified === true || email_verified === 'true',
    name: nameOf(name),
    picture: pictureOf(picture),
  };
}

function nameOf(name: unknown): string | null {
  if (typeof name !== 'string' || !name.isWellFormed()) return null;
  const shown = [...name.replace(/\p{Cc}/gu, ' ').trim()].slice(0, nameCharactersMax).join('');
  return shown === '' ? null : shown;
}

/** Shown by applications: no other scheme than https. */
function pictureOf(picture: unknown): string | null {
  if (typeof picture !== 'string' || picture.length > pictureCharactersMax) return null;
  const url = URL.parse(picture);
  return url?.protocol === 'https:' ? url.href : null;
}
