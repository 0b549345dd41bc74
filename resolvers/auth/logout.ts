import { z } from 'zod';
import { givenToken } from './auth-input.ts';
import { endpoint, withKey } from './endpoint.ts';
import { requireSession } from './live-session.ts';
import { userMissing } from './session-over.ts';
import { endSessionOfToken, endSessions } from './sessions.ts';

/** `POST /auth/v1/logout`. Contract 01, section 3.4. */
export const logout = endpoint({
  name: 'auth.logout',
  summary: 'End the session of a refresh token, or else of the access token; ending it again changes nothing.',
  input: z.object({
    refresh_token: givenToken('A refresh token of the session, used or not.').optional(),
    scope: z
      .enum(['local', 'global', 'others'])
      .default('local')
      .describe('Without a refresh token: this session, all of the user’s, or all but this.'),
  }),
  // The session may have ended already: signing out twice is allowed.
  admit: withKey,
  // A user whose token has expired can still sign out.
  byKeyAlone: ({ refresh_token }) => refresh_token !== undefined,
  async handler({ services, target, user }, { refresh_token, scope }) {
    if (refresh_token !== undefined) await endSessionOfToken(services, target, refresh_token);
    else if (user === undefined) throw userMissing('Which session is to end?');
    else if (scope === 'local') await endSessions(services, target, { userId: user.sub, only: user.session_id });
    else {
      // A token whose session has ended ends no other session.
      const { account, session } = await requireSession(services, target, user);
      await endSessions(services, target, {
        userId: account.id,
        ...(scope === 'others' ? { except: session.id } : {}),
      });
    }
    return { status: 'ok' as const };
  },
  wire: z.object({ status: z.literal('ok') }),
});
