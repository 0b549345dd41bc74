/** What serves the list of users that those who manage a project see: newest first, by role, and by the beginning of an address. */
export const listedUserStatements: readonly string[] = [
  'create index users_created_idx on auth.users (created_at, id)',
  'create index users_admins_idx on auth.users (created_at, id) where is_admin',
  // Compared byte by byte, so that an address is found by its beginning in every locale.
  'create index users_email_prefix_idx on auth.users (email text_pattern_ops)',
];
