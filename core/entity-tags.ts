/**
 * Whether a client has what a tag names already, by its header `If-None-Match`. RFC 9110, section 13.1.2.
 *
 * @param tag with its quotation marks
 */
export const hasAlready = (header: string | undefined, tag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
