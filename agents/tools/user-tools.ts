import { z } from 'zod';
import { projectId } from '../../kernel/input/fields.ts';
import { email } from '../../resolvers/auth/auth-input.ts';
import type { AnyEndpoint } from '../../resolvers/auth/endpoint.ts';
import { deletePasskey, passkeys } from '../../resolvers/auth/passkeys/manage-passkeys.ts';
import { beginPasskeySignIn, finishPasskeySignIn } from '../../resolvers/auth/passkeys/passkey-sign-in.ts';
import { beginPasskeyRegistration, finishPasskeyRegistration } from '../../resolvers/auth/passkeys/register-passkey.ts';
import { requestLink } from '../../resolvers/auth/request-link.ts';
import { setPassword } from '../../resolvers/auth/set-password.ts';
import { token } from '../../resolvers/auth/token.ts';
import { askPath, type PathRequest, withProjectKey } from './path-requests.ts';
import { adds, pathTool } from './path-tool.ts';
import type { Annotations, Arguments, Tool } from './tool.ts';

interface UserTool {
  readonly name: string;
  /** What it does, where the endpoint's own sentence does not say it to a model. */
  readonly description: string;
  /** What it answers is this one's. */
  readonly endpoint: AnyEndpoint;
  /** Besides the project. */
  readonly input: z.ZodRawShape;
  readonly annotations?: Partial<Annotations>;
  readonly secrets?: readonly string[];
  readonly request: (args: Arguments) => PathRequest;
  /** Whether it takes the service key. @default never */
  readonly isTrusted?: (args: Arguments) => boolean;
}

function userTool({ endpoint, input, annotations, request, isTrusted, ...more }: UserTool): Tool {
  return pathTool({
    ...more,
    input: z.strictObject({ project_id: projectId, ...input }),
    output: endpoint.wire,
    annotations: { ...adds, ...annotations },
    async ask(run, given: Arguments) {
      const { project_id, access_token: user, ...args } = given;
      const kind = isTrusted?.(args) === true ? 'service' : 'anon';
      const ctx = await withProjectKey(run, project_id as string, kind, user as string | undefined);
      return askPath(ctx, request(args));
    },
  });
}

/** What a user of a project is signed in by. */
export const accessToken = z.string().min(1).max(16_384);
const access_token = accessToken.describe('Access token of the user that it is about.');
const session = ['access_token', 'refresh_token'];
const { shape: link } = requestLink.input;
const { shape: register } = beginPasskeyRegistration.input;
const { shape: registered } = finishPasskeyRegistration.input;
const { shape: signIn } = beginPasskeySignIn.input;
const { shape: signedIn } = finishPasskeySignIn.input;

/** What the users of a project do, by the project's own pathTool. Contract 04, section 4.2.10. */
export const userTools: readonly Tool[] = [
  userTool({
    name: 'request_magic_link',
    description:
      'Begin to sign in a user of a project: mail them a link or a code. verify_magic_link takes the code that they tell you, with the challenge_id of the result. Somebody new becomes a user by it.',
    endpoint: requestLink,
    input: {
      email,
      delivery: link.delivery,
      redirect_url: link.redirect_url,
      intent: link.intent,
      client_state: link.client_state,
    },
    annotations: { openWorldHint: true },
    // The anon key does not invite.
    isTrusted: ({ intent }) => intent === 'invite',
    request: (body) => ({ method: 'POST', path: '/auth/v1/magic-link', body }),
  }),
  userTool({
    name: 'verify_magic_link',
    description:
      'Sign in a user of a project, by the token of a mailed link, or by a challenge and its mailed code. rest_query takes the access_token of the result.',
    endpoint: token,
    input: {
      token: z.string().optional().describe('What the mailed link brought along; in place of a challenge and a code.'),
      challenge_id: z.string().optional().describe('What request_magic_link answered when a code was mailed.'),
      code: z.string().optional().describe('The six digits that were mailed.'),
    },
    secrets: session,
    request: (body) => ({
      method: 'POST',
      path: '/auth/v1/token',
      query: { grant_type: body.token === undefined ? 'email_code' : 'magic_link' },
      body,
    }),
  }),
  userTool({
    name: 'set_user_password',
    description: 'Give the user whose access token is sent a password, or another one; other sessions end.',
    endpoint: setPassword,
    input: { access_token, ...setPassword.input.shape },
    annotations: { destructiveHint: true, idempotentHint: true },
    request: (body) => ({ method: 'POST', path: '/auth/v1/user/password', body }),
  }),
  userTool({
    name: 'passkey_register_options',
    description: 'Begin to give a user of a project a passkey: the options for the browser’s authenticator.',
    endpoint: beginPasskeyRegistration,
    input: { access_token, app_origin: register.app_origin },
    request: (body) => ({ method: 'POST', path: '/auth/v1/passkeys/register/options', body }),
  }),
  userTool({
    name: 'passkey_register_verify',
    description: 'Keep the passkey that a browser’s authenticator made for a challenge.',
    endpoint: finishPasskeyRegistration,
    input: {
      access_token,
      challenge_id: registered.challenge_id,
      response: registered.response,
      label: registered.label,
    },
    request: (body) => ({ method: 'POST', path: '/auth/v1/passkeys/register/verify', body }),
  }),
  userTool({
    name: 'passkey_login_options',
    description: 'Begin to sign a user of a project in by a passkey: the options for the browser’s authenticator.',
    endpoint: beginPasskeySignIn,
    input: { app_origin: signIn.app_origin, email: signIn.email },
    request: (body) => ({ method: 'POST', path: '/auth/v1/passkeys/login/options', body }),
  }),
  userTool({
    name: 'passkey_login_verify',
    description: 'Sign a user of a project in by what a passkey answered to a challenge.',
    endpoint: finishPasskeySignIn,
    input: { challenge_id: signedIn.challenge_id, response: signedIn.response },
    secrets: session,
    request: (body) => ({ method: 'POST', path: '/auth/v1/passkeys/login/verify', body }),
  }),
  userTool({
    name: 'list_passkeys',
    description: 'The passkeys of the user whose access token is sent.',
    endpoint: passkeys,
    input: { access_token },
    annotations: { readOnlyHint: true, idempotentHint: true },
    request: () => ({ method: 'GET', path: '/auth/v1/passkeys' }),
  }),
  userTool({
    name: 'delete_passkey',
    description: 'Delete a passkey of the user whose access token is sent; other sessions that it began end.',
    endpoint: deletePasskey,
    input: { access_token, passkey_id: deletePasskey.input.shape.passkey_id },
    annotations: { destructiveHint: true, idempotentHint: true },
    request: ({ passkey_id: id }) => ({
      method: 'DELETE',
      path: `/auth/v1/passkeys/${encodeURIComponent(String(id))}`,
    }),
  }),
];
