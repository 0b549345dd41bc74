/** What apps store with their users, and addresses that were invited by mail and are no users yet. */
export const userDataStatements: readonly string[] = [
  // An app's own, written by the user: nothing that decides may ever be read from it.
  `alter table auth.users add column user_metadata jsonb not null default '{}'
    check (jsonb_typeof(user_metadata) = 'object' and octet_length(user_metadata::text) <= 32768)`,
  // False: the mail is for an existing user.
  'alter table auth.challenges add column creates_user boolean not null default true',
  'create index challenges_email_idx on auth.challenges (email, created_at)',
];
