import { z } from 'zod';
import { bcryptCostOf, bcryptCosts } from '../../engines/passwords/bcrypt-form.ts';
import { email as emailInput } from './auth-input.ts';
import { userData } from './client-user.ts';

const text = (about: string) => z.string().max(2_048).nullish().describe(about);
const moment = (about: string) => z.string().max(64).nullish().describe(about);
const flag = (about: string) => z.boolean().nullish().describe(about);

const identityInput = z.object({
  provider: z.string().max(64).describe('Provider, for example `google`.'),
  provider_id: z
    .string()
    .max(2_048)
    .describe('Subject: the id of the account at the provider, at most 512 characters.'),
  email: text('Address of the account there.'),
  created_at: moment('When the account was linked.'),
});

/** A user as another platform exports it: only the types are checked here, so that a wrong row refuses no other. */
export const importedUserInput = z.object({
  id: z.string().max(64).describe('Id, a UUID; it is kept.'),
  email: text('Address of the user.'),
  encrypted_password: text('bcrypt hash of the password: $2a$, $2b$ or $2y$, of cost 4 to 14.').meta({ secret: true }),
  email_confirmed_at: moment('When the address was shown to be theirs; null for never.'),
  created_at: moment('When the user was made.'),
  last_sign_in_at: moment('When the user last signed in.'),
  user_metadata: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe('What the app keeps with the user; at most 16384 bytes.'),
  app_metadata: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe('Read for its names only: there is no place for what it holds, and the result says so.'),
  phone: text('A user has no phone number here; the result says so.'),
  banned_until: moment('A user who is banned is not imported.'),
  deleted_at: moment('A user who was deleted is not imported.'),
  is_anonymous: flag('An anonymous user is not imported.'),
  is_sso_user: flag('A user of single sign-on is not imported.'),
  identities: z.array(identityInput).max(32).nullish().describe('Social accounts, at most 32.'),
});

/** Longest subject that a user can be signed in by and unlinked from, in characters. */
const subjectMax = 512;

export type ImportedUserInput = z.output<typeof importedUserInput>;

/** Why a user was not imported. */
export const skipReasons = [
  'invalid_id',
  'no_email',
  'invalid_email',
  'unsupported_hash',
  'hash_cost',
  'invalid_time',
  'user_metadata',
  'banned',
  'deleted',
  'anonymous',
  'sso_user',
  'duplicate',
  'id_taken',
  'email_taken',
] as const;

export interface Skip {
  readonly reason: (typeof skipReasons)[number];
  readonly message: string;
}

/** A social account as its row is written. */
export interface LinkedIdentity {
  readonly provider: string;
  readonly provider_sub: string;
  readonly provider_email: string | null;
  readonly created_at: string | null;
}

/** A user as its row is written. */
export interface ImportedRow {
  readonly id: string;
  readonly email: string;
  readonly password_hash: string | null;
  readonly email_verified_at: string | null;
  readonly created_at: string | null;
  readonly last_sign_in_at: string | null;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly identities: readonly LinkedIdentity[];
}

/** A row to write with the names of what has no place in it, or the reason why there is none. */
export type Judged = { readonly row: ImportedRow; readonly leftOut: readonly string[] } | Skip;

class Skipped extends Error {
  readonly skip: Skip;

  constructor(reason: Skip['reason'], message: string) {
    super(message);
    this.skip = { reason, message };
  }
}

/**
 * Judges one user of an import.
 *
 * @param providers whose accounts users can sign in with here
 */
export function judgeUser(given: ImportedUserInput, providers: ReadonlySet<string>, now: Date): Judged {
  try {
    refuseState(given, now);
    const leftOut: string[] = [];
    const identities = (given.identities ?? []).flatMap((one): LinkedIdentity[] => {
      // The address itself, which every user has here.
      if (one.provider === 'email') return [];
      if (providers.has(one.provider) && one.provider_id !== '' && one.provider_id.length <= subjectMax)
        return [
          {
            provider: one.provider,
            provider_sub: one.provider_id,
            provider_email: emailInput.safeParse(one.email).data ?? null,
            created_at: timeOf('identities.created_at', one.created_at),
          },
        ];
      leftOut.push(`identity:${one.provider}`);
      return [];
    });
    if (given.phone) leftOut.push('phone');
    for (const name of Object.keys(given.app_metadata ?? {}))
      if (name !== 'provider' && name !== 'providers') leftOut.push(`app_metadata.${name}`);
    return {
      row: {
        id: idOf(given.id),
        email: addressOf(given.email),
        password_hash: hashOf(given.encrypted_password),
        email_verified_at: timeOf('email_confirmed_at', given.email_confirmed_at),
        created_at: timeOf('created_at', given.created_at),
        last_sign_in_at: timeOf('last_sign_in_at', given.last_sign_in_at),
        user_metadata: metadataOf(given.user_metadata),
        identities,
      },
      leftOut,
    };
  } catch (error) {
    if (error instanceof Skipped) return error.skip;
    throw error;
  }
}

/** States that users do not have here are refused by name: without its state a banned user could sign in. */
function refuseState({ banned_until, deleted_at, is_anonymous, is_sso_user }: ImportedUserInput, now: Date): void {
  if (deleted_at) throw new Skipped('deleted', 'The user was deleted.');
  if (is_anonymous) throw new Skipped('anonymous', 'The user is anonymous: there is no way to sign in as them.');
  if (is_sso_user) throw new Skipped('sso_user', 'The user signs in by single sign-on, which projects do not have.');
  if (banned_until === 'infinity') throw new Skipped('banned', 'The user is banned without end.');
  const until = banned_until === '-infinity' ? null : timeOf('banned_until', banned_until);
  if (until !== null && new Date(until) > now) throw new Skipped('banned', `The user is banned until ${until}.`);
}

function idOf(id: string): string {
  const read = z.uuid().safeParse(id);
  if (!read.success) throw new Skipped('invalid_id', 'The id is not a UUID.');
  return read.data.toLowerCase();
}

function addressOf(address: string | null | undefined): string {
  if (!address) throw new Skipped('no_email', 'The user has no address: users are known by one.');
  const read = emailInput.safeParse(address);
  if (!read.success) throw new Skipped('invalid_email', `The address ${read.error.issues[0]!.message}.`);
  return read.data;
}

function hashOf(hash: string | null | undefined): string | null {
  if (!hash) return null;
  const cost = bcryptCostOf(hash);
  if (cost === undefined)
    throw new Skipped('unsupported_hash', 'The password hash is not bcrypt ($2a$, $2b$ or $2y$).');
  const { least, most } = bcryptCosts;
  if (cost < least || cost > most)
    throw new Skipped('hash_cost', `The password hash has cost ${cost}; ${least} to ${most} are taken.`);
  return hash;
}

const moments = z.iso.datetime({ offset: true });

/** Whether PostgreSQL takes it too: it knows no year 0, and no zone that is sixteen hours away. */
const isKept = (iso: string): boolean =>
  !iso.startsWith('0000') && Math.abs(Number(/([+-]\d\d):\d\d$/.exec(iso)?.[1] ?? 0)) < 16;

/** A moment in ISO 8601, or as PostgreSQL writes it: `2024-05-01 09:30:00.123456+00`. */
function timeOf(field: string, given: string | null | undefined): string | null {
  if (!given) return null;
  const iso = given
    .replace(' ', 'T')
    .replace(/([+-]\d\d)(\d\d)?$/, (_all, hours, minutes = '00') => `${hours}:${minutes}`);
  if (!moments.safeParse(iso).success || !isKept(iso)) throw new Skipped('invalid_time', `${field} is not a moment.`);
  return iso;
}

function metadataOf(given: ImportedUserInput['user_metadata']): Readonly<Record<string, unknown>> {
  const read = userData.safeParse(given ?? {});
  if (!read.success) throw new Skipped('user_metadata', `user_metadata: ${read.error.issues[0]!.message}.`);
  return read.data;
}
