import { invalidField, ServiceError } from '../core/errors.ts';
import { isJsonObject, parseExactJson } from '../core/exact-json.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON object of a request body; an empty body is an absent one.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON, VALIDATION_FAILED
 */
export function parseJsonBody(body: Uint8Array, contentType: string | undefined): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType ?? '')) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { details: { content_type: contentType ?? null } });
  }
  const value = jsonOf(body);
  if (!isJsonObject(value)) {
    throw new ServiceError('VALIDATION_FAILED', { message: 'The body must be a JSON object.', details: { field: '' } });
  }
  return value;
}

/**
 * The JSON object of a request body under `/api`, whatever its content type says; an empty body is an absent one.
 *
 * @throws MALFORMED_JSON
 */
export function parseApiBody(body: Uint8Array): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  const value = jsonOf(body);
  if (!isJsonObject(value)) throw new ServiceError('MALFORMED_JSON', { message: 'The body must be a JSON object.' });
  return value;
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return parseExactJson(utf8.decode(body));
  } catch {
    throw new ServiceError('MALFORMED_JSON');
  }
}

export const isPlainText = (contentType: string | undefined) => /^text\/plain\s*(;|$)/i.test(contentType ?? '');

/** The text of a request body. @throws UNSUPPORTED_MEDIA_TYPE for what is not UTF-8 */
export function parseTextBody(body: Uint8Array, contentType: string | undefined): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  try {
    if (/^utf-?8$/i.test(charset)) return utf8.decode(body);
  } catch {
    // Said below.
  }
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'Text is read as UTF-8 alone.',
    details: { content_type: contentType ?? null },
  });
}

/**
 * Query parameters by name.
 *
 * @param repeats parameters that may be given more than once, whose values are joined by commas
 * @throws VALIDATION_FAILED when another one is given twice, since either could be meant
 */
export function parseQuery(search: string, repeats?: readonly string[]): Readonly<Record<string, string>> {
  const query: Record<string, string> = Object.create(null);
  const add = (name: string, value: string) => {
    if (!(name in query)) query[name] = value;
    else if (repeats?.includes(name)) query[name] += `,${value}`;
    else throw invalidField(name, 'given twice');
  };
  // Most queries escape nothing, and the class that knows all of them takes ten times as long.
  if (/[%+]|^\?/.test(search)) {
    for (const [name, value] of new URLSearchParams(search)) add(name, value);
    return query;
  }
  for (let from = 0; from < search.length; ) {
    const next = search.indexOf('&', from);
    const part = search.slice(from, next === -1 ? undefined : next);
    const mark = part.indexOf('=');
    if (mark !== -1) add(part.slice(0, mark), part.slice(mark + 1));
    else if (part !== '') add(part, '');
    from += part.length + 1;
  }
  return query;
}

/** What a form of a page sends. Names given twice are refused, since either could be meant. @throws VALIDATION_FAILED */
export function parseFormBody(body: Uint8Array): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw invalidField('', 'The form is not UTF-8.');
  }
  return parseQuery(text);
}

export const isForm = (contentType: string | undefined) =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '');
