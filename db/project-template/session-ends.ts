/** What finds sessions that are over, so that they are swept up a few at a time. */
export const sessionEndStatements: readonly string[] = [
  'create index sessions_end_idx on auth.sessions (least(expires_at, revoked_at))',
];
