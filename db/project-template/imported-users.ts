/** What comes with users and policies of another platform. */
export const importedUserStatements: readonly string[] = [
  // Hashes that were made elsewhere, until their users sign in: what is left of them decides how long every check takes.
  `create index users_bcrypt_idx on auth.users (substr(password_hash, 5, 2)) where password_hash like '$2%'`,
  // Names that policies written elsewhere call.
  'create function auth.jwt() returns jsonb language sql stable as $$ select auth.claims() $$',
  `create function auth.email() returns text language sql stable as $$ select auth.claims()->>'email' $$`,
  'grant execute on function auth.jwt(), auth.email() to public',
];
