import { z } from 'zod';
import { deliveries, signInMethods, signupPolicies } from '../../db/project-schema/auth.ts';
import { endpoint, withKey } from './endpoint.ts';
import { authSettings } from './settings.ts';

const enabled = z.object({ enabled: z.boolean() });

/** `GET /auth/v1/providers`. Contract 01, section 3.4. */
export const providers = endpoint({
  name: 'auth.providers',
  summary: 'How users of this project may sign in.',
  input: z.object({}),
  admit: withKey,
  async handler({ services, target }) {
    const settings = await authSettings(services, target);
    return {
      password: { enabled: true },
      password_set: { enabled: settings.allow_password_set },
      magic_link: { enabled: true, delivery_modes: [...deliveries] },
      passkey: { enabled: true, resident_key: 'preferred' as const, user_verification: 'required' as const },
      oauth: [...services.identityProviders.listed],
      settings: {
        preferred_sign_in_method: settings.preferred_sign_in_method,
        public_signup: settings.public_signup,
        allow_password_set: settings.allow_password_set,
        require_passkey_for_project_admin: settings.require_passkey_for_project_admin,
      },
    };
  },
  wire: z.object({
    password: enabled,
    password_set: enabled,
    magic_link: z.object({ enabled: z.boolean(), delivery_modes: z.array(z.enum(deliveries)) }),
    passkey: z.object({
      enabled: z.boolean(),
      resident_key: z.literal('preferred'),
      user_verification: z.literal('required'),
    }),
    oauth: z.array(z.object({ provider: z.string(), enabled: z.boolean(), display_name: z.string() })),
    settings: z.object({
      preferred_sign_in_method: z.enum(signInMethods).nullable(),
      public_signup: z.enum(signupPolicies),
      allow_password_set: z.boolean(),
      require_passkey_for_project_admin: z.boolean(),
    }),
  }),
});
