/** Where sign-in may send browsers besides the project's own hosts and `http://localhost`. */
export const redirectUrlStatements: readonly string[] = [
  // Origins with a path and nothing behind it, as `resolvers/auth/redirect-urls.ts` writes them.
  `alter table auth.settings add column allowed_redirect_urls text[] not null default '{}'
    check (cardinality(allowed_redirect_urls) <= 50)`,
];
