import type { Cli } from '../cli.ts';
import type { Call, Command, Flag, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { readInput, readText } from '../input.ts';
import { apikeyCredential, type KeyKind } from '../keys.ts';
import { call } from '../net/gateway.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/auth.ts';
import { findProject, projectFlag, requireProject } from '../resolve.ts';
import { scaffoldRoles } from '../scaffold-roles.ts';
import { authSettings } from './auth-settings.ts';

const userToken: Flag = {
  name: 'token',
  type: 'string',
  required: true,
  about: 'Access token of the user who is meant; - reads it from standard input.',
};
const emailFlag: Flag = { name: 'email', type: 'string', required: true, about: 'Address of the user.' };
const stateFlag: Flag = {
  name: 'client-state',
  type: 'json',
  placeholder: 'json',
  about: 'Anything; given back with the session. At most 2048 bytes.',
};
const originFlag: Flag = {
  name: 'app-origin',
  type: 'string',
  required: true,
  placeholder: 'url',
  about: 'Origin of the page that asks, for example https://shop.example.',
};
const responseFlag: Flag = {
  name: 'response',
  type: 'json',
  required: true,
  placeholder: 'json',
  about: 'What the authenticator answered. @file reads it from a file.',
};
const challengeFlag: Flag = {
  name: 'challenge-id',
  type: 'string',
  required: true,
  placeholder: 'id',
  about: 'The challenge that it answers.',
};

interface AuthRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: KeyKind;
  readonly user?: string | undefined;
}

/** Sends a request to the user endpoints of a project, with a key of the project. */
async function ask(
  { cli, flags }: Pick<Call, 'cli' | 'flags'>,
  { method, path, query, body, key = 'anon', user }: AuthRequest,
) {
  const project = await requireProject(cli, { '--project': flags.text('project') });
  const credential = await apikeyCredential(cli, project, key, user);
  return (await call(cli, { method, path: `/auth/v1/${path}`, query, body, credential })).body;
}

/** Reads a secret from its flag or from standard input. */
const secretOf = async (cli: Cli, text: string | undefined): Promise<string | undefined> =>
  text === '-' ? (await readText(cli, '-')).trim() : text;

const magicLink: Command = {
  words: 'auth magic-link',
  summary: 'Mail somebody a link, a code, or both, to sign in to a project.',
  about: [
    'Accepting it proves no delivery, and says nothing about who is known. Link and code are good for 15 minutes, once.',
  ],
  flags: [
    emailFlag,
    { name: 'delivery', type: 'string', choices: ['link', 'code', 'both'], about: 'A link unless told.' },
    {
      name: 'redirect-url',
      type: 'string',
      placeholder: 'url',
      about: 'Where the link leads; needed unless it is a code.',
    },
    {
      name: 'intent',
      type: 'string',
      choices: ['signin', 'invite', 'claim', 'recovery'],
      about: 'What for; signing in unless told.',
    },
    stateFlag,
    projectFlag,
  ],
  examples: [
    ['A link', 'auth magic-link --email ada@example.com --redirect-url https://shop.example/welcome'],
    ['A code', 'auth magic-link --email ada@example.com --delivery code'],
  ],
  async run(invocation) {
    const { cli, flags } = invocation;
    const intent = flags.text('intent');
    if (flags.text('delivery') !== 'code' && flags.text('redirect-url') === undefined)
      throw badUsage('--redirect-url is missing: a link has to lead somewhere.', { field: 'redirect-url' });
    const body = {
      email: flags.text('email'),
      delivery: flags.text('delivery'),
      redirect_url: flags.text('redirect-url'),
      intent,
      client_state: await readInput(cli, flags.value('client-state'), 'client-state'),
    };
    return ask(invocation, { method: 'POST', path: 'magic-link', body, key: intent === 'invite' ? 'service' : 'anon' });
  },
};

const verify: Command = {
  words: 'auth verify',
  summary: 'Sign in with what a mail brought: the token of its link, or a challenge and its code.',
  about: ['The answer holds the session of that user, tokens included.'],
  flags: [
    { ...userToken, required: false, about: 'Token of the link; - reads it from standard input.' },
    { ...challengeFlag, required: false },
    { name: 'code', type: 'string', placeholder: 'digits', about: 'The six digits.' },
    projectFlag,
  ],
  examples: [
    ['A link’s token', 'auth verify --token 3f9c…'],
    ['A code', 'auth verify --challenge-id 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --code 123456'],
  ],
  async run(invocation) {
    const { cli, flags } = invocation;
    const token = await secretOf(cli, flags.text('token'));
    const challenge_id = flags.text('challenge-id');
    const code = flags.text('code');
    const byCode = challenge_id !== undefined || code !== undefined;
    if ((token !== undefined) === byCode || (byCode && (challenge_id === undefined || code === undefined)))
      throw badUsage('Give either --token, or --challenge-id and --code.', { field: 'token' });
    const grant_type = token === undefined ? 'email_code' : 'magic_link';
    const body = token === undefined ? { challenge_id, code } : { token };
    return ask(invocation, { method: 'POST', path: 'token', query: { grant_type }, body });
  },
};

const setPassword: Command = {
  words: 'auth set-password',
  summary: 'Set or change the password of the user whose token is given.',
  flags: [
    userToken,
    {
      name: 'new',
      type: 'string',
      required: true,
      placeholder: 'password',
      about: 'The new one, 6 characters to 72 bytes; - reads it from standard input.',
    },
    {
      name: 'current',
      type: 'string',
      placeholder: 'password',
      about: 'The one it replaces, where there is one; - reads it from standard input.',
    },
    projectFlag,
  ],
  examples: [['From standard input', 'auth set-password --token eyJ… --new - < password.txt']],
  async run(invocation) {
    const { cli, flags } = invocation;
    if (['token', 'new', 'current'].filter((name) => flags.text(name) === '-').length > 1)
      throw badUsage('Only one of them can be read from standard input.');
    const user = await secretOf(cli, flags.text('token'));
    const new_password = await secretOf(cli, flags.text('new'));
    const current_password = await secretOf(cli, flags.text('current'));
    return ask(invocation, {
      method: 'POST',
      path: 'user/password',
      body: { new_password, current_password },
      user,
    });
  },
};

const userRow = rows['users.create'];
const shared = { project_id: null, client_state: null, data: null, send_invite: null };

const createUser: Command = operationCommand('auth create-user', userRow, {
  takes: [take('email')],
  flags: { ...shared, redirect_url: null, password: null },
  more: [
    {
      name: 'password',
      type: 'string',
      about: `${userRow.inputs.password.about} - reads it from standard input.`,
    },
    projectFlag,
  ],
  set: async ({ cli, flags }) => ({
    project_id: await findProject(cli, { '--project': flags.text('project') }),
    password: await secretOf(cli, flags.text('password')),
  }),
  examples: [
    ['A user', 'auth create-user ada@example.com'],
    ['An admin', 'auth create-user ada@example.com --is-admin'],
  ],
});

const inviteUser: Command = {
  ...operationCommand('auth invite-user', userRow, {
    takes: [take('email')],
    flags: { ...shared, password: null, email_confirm: null },
    more: [projectFlag],
    set: async ({ cli, flags }) => ({
      project_id: await findProject(cli, { '--project': flags.text('project') }),
      send_invite: true,
    }),
    examples: [
      ['With a link to sign in', 'auth invite-user ada@example.com --redirect-url https://shop.example/welcome'],
    ],
  }),
  summary: 'Make a user of a project, and mail them a link to sign in.',
};

const passkeys: readonly Command[] = [
  {
    words: 'auth passkey-register-options',
    summary: 'Begin to register a passkey of the user whose token is given.',
    flags: [originFlag, userToken, projectFlag],
    examples: [['For a page', 'auth passkey-register-options --app-origin https://shop.example --token eyJ…']],
    run: async (invocation) =>
      ask(invocation, {
        method: 'POST',
        path: 'passkeys/register/options',
        body: { app_origin: invocation.flags.text('app-origin') },
        user: await secretOf(invocation.cli, invocation.flags.text('token')),
      }),
  },
  {
    words: 'auth passkey-register-verify',
    summary: 'Register the passkey that an authenticator made.',
    flags: [
      challengeFlag,
      responseFlag,
      { name: 'label', type: 'string', about: 'What to call it.' },
      userToken,
      projectFlag,
    ],
    examples: [
      ['With its answer', 'auth passkey-register-verify --challenge-id 9f2d… --response @answer.json --token eyJ…'],
    ],
    run: async (invocation) =>
      ask(invocation, {
        method: 'POST',
        path: 'passkeys/register/verify',
        body: { ...(await answered(invocation)), label: invocation.flags.text('label') },
        user: await secretOf(invocation.cli, invocation.flags.text('token')),
      }),
  },
  {
    words: 'auth passkey-login-options',
    summary: 'Begin to sign in with a passkey.',
    flags: [originFlag, { ...emailFlag, required: false }, projectFlag],
    examples: [['For a page', 'auth passkey-login-options --app-origin https://shop.example']],
    run: async (invocation) =>
      ask(invocation, {
        method: 'POST',
        path: 'passkeys/login/options',
        body: { app_origin: invocation.flags.text('app-origin'), email: invocation.flags.text('email') },
      }),
  },
  {
    words: 'auth passkey-login-verify',
    summary: 'Sign in with what an authenticator answered. The answer holds the session, tokens included.',
    flags: [challengeFlag, responseFlag, projectFlag],
    examples: [['With its answer', 'auth passkey-login-verify --challenge-id 9f2d… --response @answer.json']],
    run: async (invocation) =>
      ask(invocation, { method: 'POST', path: 'passkeys/login/verify', body: await answered(invocation) }),
  },
  {
    words: 'auth passkeys',
    summary: 'The passkeys of the user whose token is given.',
    flags: [userToken, projectFlag],
    examples: [['Of a user', 'auth passkeys --token eyJ…']],
    run: async (invocation) =>
      ask(invocation, {
        method: 'GET',
        path: 'passkeys',
        user: await secretOf(invocation.cli, invocation.flags.text('token')),
      }),
  },
  {
    words: 'auth delete-passkey',
    summary: 'Delete a passkey of the user whose token is given.',
    positionals: [{ name: 'passkey_id', about: 'The passkey.' }],
    flags: [userToken, projectFlag],
    examples: [['One of them', 'auth delete-passkey pk_0kz3m --token eyJ…']],
    run: async (invocation) =>
      ask(invocation, {
        method: 'DELETE',
        path: `passkeys/${encodeURIComponent(invocation.positionals.passkey_id!)}`,
        user: await secretOf(invocation.cli, invocation.flags.text('token')),
      }),
  },
];

const answered = async ({ cli, flags }: Call) => ({
  challenge_id: flags.text('challenge-id'),
  response: await readInput(cli, flags.value('response'), 'response'),
});

const providers: Command = {
  words: 'auth providers',
  summary: 'By what users of a project may sign in.',
  flags: [projectFlag],
  examples: [['What is offered', 'auth providers']],
  run: (invocation) => ask(invocation, { method: 'GET', path: 'providers' }),
};

export const group: Group = {
  name: 'auth',
  about: [
    'svc auth: the users of a project, and how they sign in. It goes by the keys of the project that are kept on this machine: `svc projects keys` fetches them.',
  ],
  commands: everyCommand(rows, [
    magicLink,
    verify,
    createUser,
    inviteUser,
    operationCommand('auth import-users', rows['users.import'], {
      about: [
        '`projects import` takes the users of a dump by itself. Every user gets a row in the answer; a second run changes nothing.',
      ],
      examples: [['From a file', 'auth import-users --users @users.json']],
    }),
    operationCommand('auth delete-user', rows['users.delete'], {
      takes: [take('user_id')],
      examples: [['With its sessions', 'auth delete-user 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
    setPassword,
    authSettings,
    ...passkeys,
    providers,
    scaffoldRoles,
  ]),
};
