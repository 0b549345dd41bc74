import type { Command } from '../command.ts';
import { operationCommand, perform } from '../operation-command.ts';
import { rows } from '../operations/auth.ts';
import { projectFlag, requireProject } from '../resolve.ts';

const changes = Object.keys(rows['users.changeSettings'].inputs).filter((name) => name !== 'project_id');

/** `svc auth settings`. */
export const authSettings: Command = {
  ...operationCommand('auth settings', rows['users.changeSettings'], {}),
  summary: 'How the users of a project sign in: what is decided, or a change of it.',
  about: ['Without a flag it shows the settings. What is not given stays as it is.'],
  flags: [
    {
      name: 'allow-password-set',
      type: 'string',
      choices: ['true', 'false'],
      about: rows['users.changeSettings'].inputs.allow_password_set.about,
    },
    {
      name: 'preferred',
      type: 'string',
      choices: ['password', 'magic_link', 'oauth_google', 'passkey', 'none'],
      about: 'What sign-in pages offer first.',
    },
    {
      name: 'public-signup',
      type: 'string',
      choices: ['open', 'known_email', 'invite_only'],
      about: 'Who may become a user unasked.',
    },
    {
      name: 'require-admin-passkey',
      type: 'string',
      choices: ['true', 'false'],
      about: rows['users.changeSettings'].inputs.require_passkey_for_project_admin.about,
    },
    {
      name: 'allowed-email-domains',
      type: 'list',
      placeholder: 'a,b',
      about: 'Domains whose addresses may sign in socially; `none` for all.',
    },
    {
      name: 'allowed-redirect-urls',
      type: 'list',
      placeholder: 'a,b',
      about: `${rows['users.changeSettings'].inputs.allowed_redirect_urls.about} \`none\` empties it.`,
    },
    {
      name: 'add-redirect-url',
      type: 'list',
      placeholder: 'url',
      about: rows['users.changeSettings'].inputs.add_redirect_urls.about,
    },
    {
      name: 'remove-redirect-url',
      type: 'list',
      placeholder: 'url',
      about: rows['users.changeSettings'].inputs.remove_redirect_urls.about,
    },
    projectFlag,
  ],
  examples: [
    ['As it is', 'auth settings'],
    ['Only by invitation', 'auth settings --public-signup invite_only'],
    ['Sign in on a domain of your own', 'auth settings --add-redirect-url https://app.example.com/auth'],
  ],
  operations: ['users.settings', 'users.changeSettings'],
  async run({ cli, flags }) {
    const project_id = await requireProject(cli, { '--project': flags.text('project') });
    const truth = (name: string) => (flags.text(name) === undefined ? undefined : flags.text(name) === 'true');
    const preferred = flags.text('preferred');
    const listOrNone = (name: string) => {
      const list = flags.list(name);
      return list?.length === 1 && list[0] === 'none' ? [] : list;
    };
    const wanted: Record<string, unknown> = {
      allow_password_set: truth('allow-password-set'),
      preferred_sign_in_method: preferred === 'none' ? null : preferred,
      public_signup: flags.text('public-signup'),
      require_passkey_for_project_admin: truth('require-admin-passkey'),
      allowed_email_domains: listOrNone('allowed-email-domains'),
      allowed_redirect_urls: listOrNone('allowed-redirect-urls'),
      add_redirect_urls: flags.list('add-redirect-url'),
      remove_redirect_urls: flags.list('remove-redirect-url'),
    };
    const isChange = changes.some((name) => wanted[name] !== undefined);
    return isChange
      ? perform(cli, rows['users.changeSettings'], { project_id, ...wanted })
      : perform(cli, rows['users.settings'], { project_id });
  },
};
