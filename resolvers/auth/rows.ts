import { sql } from '../../db/drizzle.ts';
import { type Answer, asKept, jsonObject } from '../../db/json.ts';
import { type identities, named, type sessions, settings, type users } from '../../db/project-schema/auth.ts';
import { allOf, computed, from } from '../../db/sql.ts';

// Rows of `auth` as its statements give them: times as text, and never a hash. Each takes the table, or the alias of one.

/** A user as JSON. */
export const userJson = (of: typeof users) =>
  jsonObject({
    ...asKept(allOf(of, ['passwordHash'])),
    /** Whether there is one; the hash stays where it is. */
    has_password: computed<boolean>('boolean', sql`${of.passwordHash} is not null`),
  });

export type UserRow = Answer<ReturnType<typeof userJson>>;

/** A session as JSON. */
export const sessionJson = (of: typeof sessions) => jsonObject(asKept(allOf(of, ['secretHash', 'revokedAt'])));

export type SessionRow = Answer<ReturnType<typeof sessionJson>>;

/** A social account as JSON. */
export const identityJson = (of: typeof identities) => jsonObject(asKept(allOf(of, ['userId'])));

export type IdentityRow = Answer<ReturnType<typeof identityJson>>;

const a = named(settings, 'a');
const decided = jsonObject(asKept(allOf(a, ['singleton'])));

/** What a project decides about sign-in. Contract 01, section 3.11. `redirect-urls.ts` writes `allowed_redirect_urls`. */
export type AuthSettings = Answer<typeof decided>;

/** The settings as JSON. */
export const settingsJson = computed<AuthSettings>('json', sql`(select ${decided.sql} from ${from(a)})`);

/** A moment as answers write it. */
export const momentOf = (text: string): string => new Date(text).toISOString();
export const momentOrNull = (text: string | null): string | null => (text === null ? null : momentOf(text));
