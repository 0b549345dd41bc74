import { z } from 'zod';
import { asUser, endpoint } from './endpoint.ts';
import { mailWayIn } from './request-link.ts';

/** `GET /auth/v1/reauthenticate`: a code to the user's own address, for changing the password without the old one. */
export const reauthenticate = endpoint({
  name: 'auth.reauthenticate',
  summary: 'Mail the user a code that stands for its password so far.',
  input: z.object({}),
  admit: asUser,
  async handler(ctx) {
    await mailWayIn(ctx, {
      email: ctx.account.email,
      intent: 'recovery',
      delivery: 'code',
      redirect_url: null,
      client_state: null,
      state_source: 'anonymous',
      creates_user: false,
    });
    return { message: 'A mail is on its way.' };
  },
  wire: z.object({ message: z.string() }),
});
