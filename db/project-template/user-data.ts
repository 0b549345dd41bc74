/** What apps keep with their users, and who may be asked in by a mail without becoming a user. */
export const userDataStatements: readonly string[] = [
  // An app's own, written by the user: nothing that decides may ever be read from it.
  `alter table auth.users add column user_metadata jsonb not null default '{}'
    check (jsonb_typeof(user_metadata) = 'object' and octet_length(user_metadata::text) <= 32768)`,
  // False: the mail is for somebody who is a user already.
  'alter table auth.challenges add column creates_user boolean not null default true',
  'create index challenges_email_idx on auth.challenges (email, created_at)',
];
