/** Paths of the API that people copy along with its address. */
const endpoints = /\/(?:chat\/completions|completions|moderations|images\/generations|models)$/;

/**
 * The base of an OpenAI-compatible API, however it is written: with its version, without, with a trailing slash, or as
 * the address of one of its paths.
 *
 * @returns undefined for what is no such address
 */
export function apiBase(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return undefined;
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return undefined;
  const path = url.pathname.replace(/\/+$/, '').replace(endpoints, '');
  // Some have the version in the middle: /v1beta/openai.
  const isVersioned = path.split('/').some((segment) => /^v\d+[a-z0-9]*$/.test(segment));
  return `${url.origin}${path}${isVersioned ? '' : '/v1'}`;
}
