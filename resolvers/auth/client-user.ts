import { z } from 'zod';
import { fitsJson } from './auth-input.ts';
import { momentOrNull, type UserRow } from './rows.ts';

/** Most bytes of what an app keeps with a user, as JSON. */
const userDataBytesMax = 16_384;

/** What an app keeps with its user. It is the user who writes it, so nothing that decides may be read from it. */
export const userData = z
  .record(z.string(), z.unknown())
  .refine((data) => fitsJson(data, userDataBytesMax), {
    error: `at most ${userDataBytesMax} bytes as JSON`,
  })
  .describe('Anything an app keeps with its user, given back as `user_metadata`. At most 16384 bytes.');

/** Members of a user beyond the documented ones, by the names that published clients read. */
export const ClientUserWire = {
  aud: z.literal('authenticated'),
  role: z.enum(['authenticated', 'project_admin']),
  email_confirmed_at: z.iso.datetime().nullable(),
  app_metadata: z.object({ provider: z.string(), providers: z.array(z.string()) }),
  user_metadata: z.record(z.string(), z.unknown()),
};

/** @param social providers that sign the user in */
export const clientUser = (account: UserRow, social: readonly string[]) => {
  const providers = [...new Set([...(account.has_password || social.length === 0 ? ['email'] : []), ...social])];
  return {
    aud: 'authenticated' as const,
    role: account.is_admin ? ('project_admin' as const) : ('authenticated' as const),
    email_confirmed_at: momentOrNull(account.email_verified_at),
    app_metadata: { provider: providers[0]!, providers },
    user_metadata: {
      ...(account.display_name === null ? {} : { name: account.display_name }),
      ...(account.avatar_url === null ? {} : { avatar_url: account.avatar_url }),
      ...account.user_metadata,
    },
  };
};
