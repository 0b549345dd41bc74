import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { query, stepMutation } from '../../kernel/run/operation.ts';
import { nothingToUndo, onOwnProject, ownProject } from './project-users.ts';
import { readEntry, redirectUrlsMax } from './redirect-urls.ts';
import { type AuthSettings, signInMethods, signupPolicies } from './rows.ts';
import { authSettings } from './settings.ts';
import { type AuthStatement, authBatch, authRow } from './shared/auth-rows.ts';
import { forgetStandings } from './shared/standing.ts';

const domain = z
  .string()
  .transform((text) => text.trim().replace(/^@/, '').toLowerCase())
  .refine(
    (text) => /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text),
    'must be a domain, such as example.com',
  );

const redirectEntries = z
  .array(
    z
      .string()
      .max(2_048)
      .transform((text, ctx) => {
        const read = readEntry(text);
        if ('entry' in read) return read.entry;
        ctx.addIssue({ code: 'custom', message: read.reason });
        return z.NEVER;
      }),
  )
  .max(redirectUrlsMax)
  .transform((entries) => [...new Set(entries)]);

const SettingsWire = z.object({
  allow_password_set: z.boolean(),
  preferred_sign_in_method: z.enum(signInMethods).nullable(),
  public_signup: z.enum(signupPolicies),
  require_passkey_for_project_admin: z.boolean(),
  allowed_email_domains: z.array(z.string()),
  allowed_redirect_urls: z.array(z.string()),
});

const settingsToWire = (settings: AuthSettings) => ({
  ...settings,
  allowed_email_domains: [...settings.allowed_email_domains],
  allowed_redirect_urls: [...settings.allowed_redirect_urls],
});

/** `GET /auth/v1/settings`. Contract 01, section 3.11. */
export const getSettings = query({
  name: 'users.settings',
  tool: 'get_auth_settings',
  command: 'auth settings',
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
  tool: 'auth_settings',
  command: 'auth settings',
  effects: ['destructive', 'idempotent'],
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
    allowed_redirect_urls: redirectEntries
      .optional()
      .describe(
        'The whole list of URLs that sign-in may send browsers to: an origin, with a path that covers all below it.',
      ),
    add_redirect_urls: redirectEntries.optional().describe('URLs to add to that list; at most 50 are on it.'),
    remove_redirect_urls: redirectEntries
      .optional()
      .describe('URLs to take off that list; links that lead there end at once.'),
  }),
  steps: {
    async prepare({ services, project }, { project_id: _named, ...changes }) {
      const target = await findProjectTarget(services, project.id);
      const { allowed_redirect_urls, add_redirect_urls, remove_redirect_urls } = changes;
      if (allowed_redirect_urls !== undefined && (add_redirect_urls ?? remove_redirect_urls) !== undefined)
        throw invalidField('allowed_redirect_urls', 'give the whole list, or what to add and remove');
      refuse(project.id, await authRow<Verdict>(services, target, judgeStatement, [JSON.stringify(changes)]));
    },
    async begin({ project, org }, { project_id: _named, ...changes }) {
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
      const [, [verdict]] = (await authBatch(services, target, [
        [lockStatement, []],
        [judgeStatement, [changes!]],
        [changeStatement, [changes!]],
      ])) as [unknown, [Verdict?], unknown];
      forgetStandings(services, target);
      refuse(projectId!, verdict);
    },
    settle: async ({ services }, { projectId }): Promise<AuthSettings> =>
      authSettings(services, await findProjectTarget(services, projectId!)),
    undo: nothingToUndo,
  },
  wire: SettingsWire,
  toWire: settingsToWire,
});

/** What forbids a change of the settings. */
interface Verdict {
  readonly locked_out: boolean;
  readonly redirect_urls: number;
}

/** @throws ADMINS_WITHOUT_PASSKEY, QUOTA_EXCEEDED */
function refuse(projectId: string, verdict: Verdict | undefined): void {
  if (verdict?.locked_out === true) throw new ServiceError('ADMINS_WITHOUT_PASSKEY');
  if (verdict !== undefined && verdict.redirect_urls > redirectUrlsMax)
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `A project has at most ${redirectUrlsMax} allowed redirect URLs.`,
      details: { limit: redirectUrlsMax, setting: 'allowed_redirect_urls' },
      nextActions: [
        {
          type: 'remove_redirect_url',
          method: 'PATCH',
          path: '/auth/v1/settings',
          command: `svc auth settings --project ${projectId} --remove-redirect-url <url>`,
          why: 'Take URLs off the list that are not used any more, or allow a shorter path that covers several.',
        },
      ],
    });
}

/** Whether a passkey is demanded of admins, and none of them has one. */
const lockedOut = `(coalesce((c->>'require_passkey_for_project_admin')::boolean, false)
  and exists (select from auth.users where is_admin)
  and not exists (select from auth.users u join auth.passkeys p on p.user_id = u.id where u.is_admin))`;

const listIn = (name: string) => `array(select jsonb_array_elements_text(coalesce(c->'${name}', '[]')))`;

/** The redirect URLs once the change is made, those that stay in their order. */
const redirectUrls = `case when c ? 'allowed_redirect_urls' then ${listIn('allowed_redirect_urls')} else array(
    select url from unnest(a.allowed_redirect_urls || ${listIn('add_redirect_urls')}) with ordinality t(url, place)
    where url <> all(${listIn('remove_redirect_urls')}) group by url order by min(place)) end`;

const judgeStatement: AuthStatement = {
  name: 'settings_judge',
  text: `select json_build_object('locked_out', ${lockedOut}, 'redirect_urls', cardinality(${redirectUrls}))
    from auth.settings a, (select $1::jsonb as c) given`,
};

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
        then ${listIn('allowed_email_domains')} else a.allowed_email_domains end,
      allowed_redirect_urls = ${redirectUrls}
    from (select $1::jsonb as c) given
    where not ${lockedOut} and cardinality(${redirectUrls}) <= ${redirectUrlsMax}
    returning to_jsonb(a) - 'singleton'`,
};
