/** Rows of `auth` as its statements give them: times as text, and never a hash. */
export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly display_name: string | null;
  readonly avatar_url: string | null;
  readonly email_verified_at: string | null;
  readonly is_admin: boolean;
  readonly authz_version: number;
  readonly is_test: boolean;
  readonly last_sign_in_at: string | null;
  readonly created_at: string;
  /** Whether there is one; the hash stays where it is. */
  readonly has_password: boolean;
  /** What the app keeps with its user, who may write it. */
  readonly user_metadata: Readonly<Record<string, unknown>>;
}

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly created_at: string;
  readonly auth_time: string;
  readonly amr: readonly string[];
  readonly aal: 'aal1' | 'aal2';
  readonly provider: string | null;
  readonly passkey_id: string | null;
  readonly is_test: boolean;
  readonly last_refreshed_at: string | null;
  readonly expires_at: string;
  readonly hard_expires_at: string;
}

export interface IdentityRow {
  readonly provider: string;
  readonly provider_sub: string;
  readonly provider_email: string | null;
  readonly created_at: string;
}

export const signInMethods = ['password', 'magic_link', 'oauth_google', 'passkey'] as const;
export const signupPolicies = ['open', 'known_email', 'invite_only'] as const;

/** What a project decides about sign-in. Contract 01, section 3.11. */
export interface AuthSettings {
  readonly allow_password_set: boolean;
  readonly preferred_sign_in_method: (typeof signInMethods)[number] | null;
  readonly public_signup: (typeof signupPolicies)[number];
  readonly require_passkey_for_project_admin: boolean;
  readonly allowed_email_domains: readonly string[];
  /** As `redirect-urls.ts` writes entries. */
  readonly allowed_redirect_urls: readonly string[];
}

/** A user as JSON, by the alias of its row. */
export const userJson = (alias: string): string =>
  `to_jsonb(${alias}) - 'password_hash' || jsonb_build_object('has_password', ${alias}.password_hash is not null)`;

/** A session as JSON, by the alias of its row. */
export const sessionJson = (alias: string): string => `to_jsonb(${alias}) - 'secret_hash' - 'revoked_at'`;

export const settingsJson = `(select to_jsonb(a) - 'singleton' from auth.settings a)`;

/** A moment as answers write it. */
export const momentOf = (text: string): string => new Date(text).toISOString();
export const momentOrNull = (text: string | null): string | null => (text === null ? null : momentOf(text));
