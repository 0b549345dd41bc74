import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Answer, asKept, jsonObject, toJson } from '../../db/json.ts';
import {
  settings as kept,
  named,
  passkeys,
  signInMethods,
  signupPolicies,
  users,
} from '../../db/project-schema/auth.ts';
import { allOf, computed, from, setOf, typed } from '../../db/sql.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { query, stepMutation } from '../../kernel/run/operation.ts';
import { nothingToUndo, onOwnProject, ownProject } from './project-users.ts';
import { readEntry, redirectUrlsMax } from './redirect-urls.ts';
import type { AuthSettings } from './rows.ts';
import { authSettings } from './settings.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authBatch, authRow, authStatement } from './shared/auth-rows.ts';

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

const SettingsWire = z
  .object({
    allow_password_set: z.boolean(),
    preferred_sign_in_method: z.enum(signInMethods).nullable(),
    public_signup: z.enum(signupPolicies),
    require_passkey_for_project_admin: z.boolean(),
    allowed_email_domains: z.array(z.string()),
    allowed_redirect_urls: z.array(z.string()),
  })
  .meta({ id: 'AuthSettings' });

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
  path: 'GET /auth/v1/settings',
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
  lifecycle: 'owned',
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
      refuse(project.id, await authRow(services, target, judgeStatement.with({ changes: JSON.stringify(changes) })));
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
      const wanted = { changes: changes! };
      const [, [verdict]] = await authBatch(services, target, [
        lockStatement.with({}),
        judgeStatement.with(wanted),
        changeStatement.with(wanted),
      ]);
      forgetAccountStatuses(services, target);
      refuse(projectId!, verdict);
    },
    settle: async ({ services }, { projectId }): Promise<AuthSettings> =>
      authSettings(services, await findProjectTarget(services, projectId!)),
    undo: nothingToUndo,
  },
  wire: SettingsWire,
  toWire: settingsToWire,
});

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

const a = named(kept, 'a');
const u = named(users, 'u');
const p = named(passkeys, 'p');

/** Whether the changes `c` demand a passkey of admins, and none of them has one. */
const lockedOut = sql`(coalesce((c->>'require_passkey_for_project_admin')::boolean, false)
  and exists (select from ${users} where ${users.isAdmin})
  and not exists (select from ${from(u)} join ${from(p)} on ${p.userId} = ${u.id} where ${u.isAdmin}))`;

type Setting = Exclude<keyof typeof kept.$inferSelect, 'singleton'>;
type Change = 'add_redirect_urls' | 'remove_redirect_urls';

const textIn = (name: Change | (typeof kept)[Setting]['name']) => sql.raw(`'${name}'`);
const listIn = (name: Parameters<typeof textIn>[0]) =>
  sql`array(select jsonb_array_elements_text(coalesce(c->${textIn(name)}, '[]')))`;

/** A setting once the change is made: what is given, or what it was. */
const isGiven = (name: Setting) => sql`c ? ${textIn(a[name].name)}`;
const flagOf = (name: Setting) => sql`coalesce((c->>${textIn(a[name].name)})::boolean, ${a[name]})`;

/** The redirect URLs once the change is made, those that stay in their order. */
const redirectUrls = sql`case when ${isGiven('allowedRedirectUrls')} then ${listIn('allowed_redirect_urls')} else array(
    select url from unnest(${a.allowedRedirectUrls} || ${listIn('add_redirect_urls')}) with ordinality t(url, place)
    where url <> all(${listIn('remove_redirect_urls')}) group by url order by min(place)) end`;

const verdictJson = jsonObject({
  locked_out: computed<boolean>('boolean', lockedOut),
  redirect_urls: computed<number>('integer', sql`cardinality(${redirectUrls})`),
});

/** What forbids a change of the settings. */
type Verdict = Answer<typeof verdictJson>;

const changes = typed<string>('jsonb');

const judgeStatement = authStatement(
  'settings_judge',
  { params: { changes }, answer: verdictJson },
  ({ changes }, answer) => sql`select ${answer} from ${from(a)}, (select ${changes}::jsonb as c) given`,
);

const lockStatement = authStatement(
  'settings_lock',
  { answer: toJson(kept.singleton) },
  (_none, answer) => sql`select ${answer} from ${kept} for update`,
);

const changeStatement = authStatement(
  'settings_change',
  { params: { changes }, answer: jsonObject(asKept(allOf(a, ['singleton']))) },
  ({ changes }, answer) => sql`update ${from(a)} ${setOf(kept, {
    allowPasswordSet: flagOf('allowPasswordSet'),
    preferredSignInMethod: sql`case when ${isGiven('preferredSignInMethod')}
        then c->>'preferred_sign_in_method' else ${a.preferredSignInMethod} end`,
    publicSignup: sql`coalesce(c->>'public_signup', ${a.publicSignup})`,
    requirePasskeyForProjectAdmin: flagOf('requirePasskeyForProjectAdmin'),
    allowedEmailDomains: sql`case when ${isGiven('allowedEmailDomains')}
        then ${listIn('allowed_email_domains')} else ${a.allowedEmailDomains} end`,
    allowedRedirectUrls: redirectUrls,
  })}
    from (select ${changes}::jsonb as c) given
    where not ${lockedOut} and cardinality(${redirectUrls}) <= ${sql.raw(String(redirectUrlsMax))}
    returning ${answer}`,
);
