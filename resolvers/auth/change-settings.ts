import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { query, stepMutation } from '../operation.ts';
import { findProjectTarget } from '../project-target.ts';
import { type AuthStatement, authBatch, authRow } from './auth-rows.ts';
import { nothingToUndo, onOwnProject, ownProject } from './project-users.ts';
import { type AuthSettings, signInMethods, signupPolicies } from './rows.ts';
import { authSettings } from './settings.ts';
import { forgetStandings } from './standing.ts';

const domain = z
  .string()
  .transform((text) => text.trim().replace(/^@/, '').toLowerCase())
  .refine(
    (text) => /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text),
    'must be a domain, such as example.com',
  );

const SettingsWire = z.object({
  allow_password_set: z.boolean(),
  preferred_sign_in_method: z.enum(signInMethods).nullable(),
  public_signup: z.enum(signupPolicies),
  require_passkey_for_project_admin: z.boolean(),
  allowed_email_domains: z.array(z.string()),
});

const settingsToWire = (settings: AuthSettings) => ({
  ...settings,
  allowed_email_domains: [...settings.allowed_email_domains],
});

/** `GET /auth/v1/settings`. Contract 01, section 3.11. */
export const getSettings = query({
  name: 'users.settings',
  summary: 'What a project decides about how its users sign in.',
  access: onOwnProject(),
  input: z.object({ project_id: ownProject }),
  handler: async ({ services, project }): Promise<AuthSettings> =>
    authSettings(services, await findProjectTarget(services, project.id)),
  wire: SettingsWire,
  toWire: settingsToWire,
});

/** `PATCH /auth/v1/settings`. */
export const changeSettings = stepMutation({
  name: 'users.changeSettings',
  summary: 'Decide how the users of a project sign in; what is not given stays as it is.',
  access: onOwnProject(),
  lifecycle: 'gated',
  input: z.strictObject({
    project_id: ownProject,
    allow_password_set: z.boolean().optional().describe('Whether users without a password may set one.'),
    preferred_sign_in_method: z
      .enum(signInMethods)
      .nullable()
      .optional()
      .describe('What sign-in pages offer first; null for no preference.'),
    public_signup: z.enum(signupPolicies).optional().describe('Who may become a user unasked.'),
    require_passkey_for_project_admin: z
      .boolean()
      .optional()
      .describe('Whether an admin is one only after signing in with a passkey.'),
    allowed_email_domains: z
      .array(domain)
      .max(200)
      .transform((domains) => [...new Set(domains)])
      .optional()
      .describe('Domains whose addresses may sign in socially; none for all.'),
  }),
  steps: {
    async begin({ services, project, org }, { project_id: _named, ...changes }) {
      const target = await findProjectTarget(services, project.id);
      if (changes.require_passkey_for_project_admin === true) {
        const open = await authRow<boolean>(services, target, lockoutStatement, []);
        if (open === true) throw new ServiceError('ADMINS_WITHOUT_PASSKEY');
      }
      return {
        ref: { projectId: project.id, changes: JSON.stringify(changes) },
        orgId: org.id,
        audit: {
          action: 'project.auth_settings_changed',
          object: { kind: 'project', id: project.id },
          details: changes,
        },
      };
    },
    async effect({ services }, { projectId, changes }) {
      const target = await findProjectTarget(services, projectId!);
      // The last passkey of an admin may have gone since, or be going now: its removal locks the settings too.
      const [, changed] = await authBatch(services, target, [
        [lockStatement, []],
        [changeStatement, [changes!]],
      ]);
      forgetStandings(services, target);
      if (changed!.length === 0) throw new ServiceError('ADMINS_WITHOUT_PASSKEY');
    },
    settle: async ({ services }, { projectId }): Promise<AuthSettings> =>
      authSettings(services, await findProjectTarget(services, projectId!)),
    undo: nothingToUndo,
  },
  wire: SettingsWire,
  toWire: settingsToWire,
});

/** Whether there are admins, and none of them has a passkey. */
const lockedOut = `exists (select from auth.users where is_admin)
  and not exists (select from auth.users u join auth.passkeys p on p.user_id = u.id where u.is_admin)`;

const lockoutStatement: AuthStatement = { name: 'settings_lockout', text: `select to_json(${lockedOut})` };

const lockStatement: AuthStatement = {
  name: 'settings_lock',
  text: 'select to_json(true) from auth.settings for update',
};

const changeStatement: AuthStatement = {
  name: 'settings_change',
  text: `update auth.settings a set
      allow_password_set = coalesce((c->>'allow_password_set')::boolean, a.allow_password_set),
      preferred_sign_in_method = case when c ? 'preferred_sign_in_method' then c->>'preferred_sign_in_method'
        else a.preferred_sign_in_method end,
      public_signup = coalesce(c->>'public_signup', a.public_signup),
      require_passkey_for_project_admin =
        coalesce((c->>'require_passkey_for_project_admin')::boolean, a.require_passkey_for_project_admin),
      allowed_email_domains = case when c ? 'allowed_email_domains'
        then array(select jsonb_array_elements_text(c->'allowed_email_domains')) else a.allowed_email_domains end
    from (select $1::jsonb as c) given
    where not coalesce((c->>'require_passkey_for_project_admin')::boolean, false) or not (${lockedOut})
    returning to_jsonb(a) - 'singleton'`,
};
