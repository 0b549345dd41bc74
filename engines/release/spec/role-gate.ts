import type { RoleGate } from '../model.ts';
import { distinct, integer, list, matching, object, oneOf, optional, type Read, text } from './fields.ts';

const identifier = matching(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'must be a plain name of a table or column');

/** Browsers take a backslash for a slash, and two of either for the beginning of another host. */
const ownPath = matching(/^\/(?![/\\])[^\\]*$/, 'must be a path of the same host');

const members = ['table', 'id_column', 'role_column', 'allowed', 'cache_ttl', 'on_deny', 'sign_in_path'];

/** Contract 03, section 2.19. */
export const gate: Read<RoleGate | null> = (value, at) => {
  if (value === null) return null;
  const given = object(value, at, members);
  return {
    table: identifier(given.table, `${at}.table`),
    idColumn: identifier(given.id_column, `${at}.id_column`),
    roleColumn: identifier(given.role_column, `${at}.role_column`),
    allowed: distinct(list(text(128), { min: 1, max: 100 }))(given.allowed, `${at}.allowed`).sort(),
    cacheTtl: optional(integer(0, 600))(given.cache_ttl, `${at}.cache_ttl`) ?? 60,
    onDeny: optional(oneOf('envelope', 'redirect'))(given.on_deny, `${at}.on_deny`) ?? 'envelope',
    signInPath: optional(ownPath)(given.sign_in_path, `${at}.sign_in_path`) ?? null,
  };
};
