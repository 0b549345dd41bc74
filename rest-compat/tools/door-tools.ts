import { z } from 'zod';
import { projectId } from '../../resolvers/fields.ts';
import { parseInput } from '../../resolvers/parse-input.ts';
import { wholeForm } from '../openapi/json-schema.ts';
import { askPath, askRows, atDoorOf, type Knock } from './doors.ts';
import type { Annotations, ArgumentForm, Arguments, Tool, ToolRun } from './tool.ts';

interface Door<Input extends z.ZodObject> extends Partial<Pick<Tool, 'secrets'>> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodType;
  readonly annotations: Annotations;
  readonly ask: (run: ToolRun, args: z.output<Input>) => Promise<object>;
}

function door<Input extends z.ZodObject>({ input, output, ask, ...more }: Door<Input>): Tool {
  return {
    secrets: [],
    ...more,
    input: { required: [], ...wholeForm(input, 'input'), additionalProperties: false } as unknown as ArgumentForm,
    output: wholeForm(output, 'output'),
    operations: [],
    isPriced: false,
    isLong: false,
    waits: () => undefined,
    run: async (run, args: Arguments) =>
      ask(
        run,
        parseInput({ input }, args as z.input<Input>, (name) => name),
      ),
  };
}

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const anything = z.record(z.string(), z.unknown());
const project_id = projectId;
const access_token = z.string().min(1).max(16_384).describe('Access token of the user that it is about.');
const app_origin = z.string().describe('Origin of the page that asks, for example https://app.example.org.');
const challenge_id = z.string().describe('The challenge that the options came with.');
const response = z.unknown().describe('What the browser’s authenticator answered, as JSON.');

/** Asks a path of a project's users; what it says of its inputs is said by it. */
const asUser =
  (knock: (args: never) => Knock) =>
  async (run: ToolRun, args: { readonly project_id: string; readonly access_token?: string }) =>
    askPath(run, await atDoorOf(run, args.project_id, 'anon', args.access_token), knock(args as never));

const session = ['access_token', 'refresh_token'];

/** What is documented and no operation: rows, and what the users of a project do. Contract 04, sections 4.2.1, 4.2.10. */
export const doorTools: readonly Tool[] = [
  door({
    name: 'rest_query',
    description:
      'Read or write rows of a table of a project, as /rest/v1 does, and /admin/v1/rest with the service key: params are its filters, such as {"select":"*","id":"eq.1"}. Takes the project’s keys, so ask as its owner, or with the key itself.',
    input: z.strictObject({
      project_id,
      table: z.string().min(1).max(256).describe('Table or view; rpc/NAME calls a function.'),
      method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']).default('GET'),
      params: z.record(z.string(), z.string()).optional().describe('Parameters of the query, each once.'),
      body: z.unknown().optional().describe('Rows, or the columns to change, as JSON.'),
      key_type: z.enum(['anon', 'service']).default('anon').describe('service stands above row security.'),
    }),
    output: z.object({ status: z.int(), body: z.unknown(), content_range: z.string().nullable() }),
    annotations: { ...adds, destructiveHint: true },
    async ask(run, { project_id: project, table, method, params, body, key_type }) {
      const name = table.startsWith('rpc/') ? `rpc/${encodeURIComponent(table.slice(4))}` : encodeURIComponent(table);
      const ctx = await atDoorOf(run, project, key_type);
      // Each key has a door of its own.
      const prefix = key_type === 'anon' ? '/rest/v1' : '/admin/v1/rest';
      return askRows(ctx, { method, path: `${prefix}/${name}`, query: params, body });
    },
  }),
  door({
    name: 'request_magic_link',
    description: 'Have a link or a code mailed by which a user of a project signs in.',
    input: z.strictObject({
      project_id,
      email: z.string(),
      delivery: z.enum(['link', 'code', 'both']).optional(),
      redirect_url: z.string().optional(),
      intent: z.enum(['signin', 'invite', 'claim', 'recovery']).optional(),
      client_state: z.unknown().optional().describe('Anything; given back with the session.'),
    }),
    output: anything,
    annotations: { ...adds, openWorldHint: true },
    ask: asUser(({ project_id: _project, ...body }: { project_id: string }) => ({
      method: 'POST',
      path: '/auth/v1/magic-link',
      body,
    })),
  }),
  door({
    name: 'verify_magic_link',
    description: 'Sign a user of a project in by the token of a mailed link, or by a challenge and its mailed code.',
    input: z.strictObject({
      project_id,
      token: z.string().optional(),
      challenge_id: challenge_id.optional(),
      code: z.string().optional(),
    }),
    output: anything,
    annotations: adds,
    secrets: session,
    ask: asUser(({ project_id: _project, ...body }: { project_id: string; token?: string }) => ({
      method: 'POST',
      path: '/auth/v1/token',
      query: { grant_type: body.token === undefined ? 'email_code' : 'magic_link' },
      body,
    })),
  }),
  door({
    name: 'set_user_password',
    description: 'Give the user whose access token is sent a password, or another one.',
    input: z.strictObject({
      project_id,
      access_token,
      new_password: z.string(),
      current_password: z.string().optional(),
    }),
    output: anything,
    annotations: { ...adds, idempotentHint: true },
    secrets: session,
    ask: asUser(({ new_password, current_password }: { new_password: string; current_password?: string }) => ({
      method: 'POST',
      path: '/auth/v1/user/password',
      body: { new_password, current_password },
    })),
  }),
  door({
    name: 'passkey_register_options',
    description: 'Begin to give a user of a project a passkey: the options for the browser’s authenticator.',
    input: z.strictObject({ project_id, access_token, app_origin }),
    output: anything,
    annotations: adds,
    ask: asUser(({ app_origin: origin }: { app_origin: string }) => ({
      method: 'POST',
      path: '/auth/v1/passkeys/register/options',
      body: { app_origin: origin },
    })),
  }),
  door({
    name: 'passkey_register_verify',
    description: 'Keep the passkey that a browser’s authenticator made for a challenge.',
    input: z.strictObject({ project_id, access_token, challenge_id, response, label: z.string().optional() }),
    output: anything,
    annotations: adds,
    ask: asUser(({ challenge_id: challenge, response: answer, label }: PasskeyAnswer) => ({
      method: 'POST',
      path: '/auth/v1/passkeys/register/verify',
      body: { challenge_id: challenge, response: answer, label },
    })),
  }),
  door({
    name: 'passkey_login_options',
    description: 'Begin to sign a user of a project in by a passkey: the options for the browser’s authenticator.',
    input: z.strictObject({ project_id, app_origin, email: z.string().optional() }),
    output: anything,
    annotations: adds,
    ask: asUser(({ app_origin: origin, email }: { app_origin: string; email?: string }) => ({
      method: 'POST',
      path: '/auth/v1/passkeys/login/options',
      body: { app_origin: origin, email },
    })),
  }),
  door({
    name: 'passkey_login_verify',
    description: 'Sign a user of a project in by what a passkey answered to a challenge.',
    input: z.strictObject({ project_id, challenge_id, response }),
    output: anything,
    annotations: adds,
    secrets: session,
    ask: asUser(({ challenge_id: challenge, response: answer }: PasskeyAnswer) => ({
      method: 'POST',
      path: '/auth/v1/passkeys/login/verify',
      body: { challenge_id: challenge, response: answer },
    })),
  }),
  door({
    name: 'list_passkeys',
    description: 'The passkeys of the user whose access token is sent.',
    input: z.strictObject({ project_id, access_token }),
    output: anything,
    annotations: reads,
    ask: asUser(() => ({ method: 'GET', path: '/auth/v1/passkeys' })),
  }),
  door({
    name: 'delete_passkey',
    description: 'Delete a passkey of the user whose access token is sent.',
    input: z.strictObject({ project_id, access_token, passkey_id: z.string().min(1).max(256) }),
    output: anything,
    annotations: { ...adds, destructiveHint: true, idempotentHint: true },
    ask: asUser(({ passkey_id }: { passkey_id: string }) => ({
      method: 'DELETE',
      path: `/auth/v1/passkeys/${encodeURIComponent(passkey_id)}`,
    })),
  }),
];

interface PasskeyAnswer {
  readonly challenge_id: string;
  readonly response: unknown;
  readonly label?: string;
}
