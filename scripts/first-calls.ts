/**
 * The main job from a newcomer's side, with public tools alone: sign in with a fresh wallet, create an organization and
 * a project over GraphQL, follow the project's room over graphql-ws, send a message over REST and see it arrive.
 *
 * Usage: npm run first-calls [-- http://localhost:4000]
 */
import { randomBytes } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import WebSocket from 'ws';

const baseUrl = (process.argv[2] ?? process.env.BASE_URL ?? 'http://localhost:4000').replace(/\/$/, '');
const account = privateKeyToAccount(generatePrivateKey());

/** Signs one request. Every change wants a signature of its own; a read may use one again for five minutes. */
async function signIn(path: string): Promise<string> {
  const { hostname } = new URL(baseUrl);
  const now = new Date();
  const fields = {
    domain: hostname,
    address: account.address,
    statement: 'Sign in to the gateway.',
    uri: baseUrl + path,
    version: '1',
    nonce: randomBytes(16).toString('hex'),
  } as const;
  const expiresAt = new Date(now.getTime() + 5 * 60_000);
  const message = createSiweMessage({ ...fields, chainId: 84532, issuedAt: now, expirationTime: expiresAt });
  const proof = {
    ...fields,
    chainId: 'eip155:84532',
    type: 'eip191',
    issuedAt: now.toISOString(),
    expirationTime: expiresAt.toISOString(),
    signature: await account.signMessage({ message }),
  };
  return Buffer.from(JSON.stringify(proof)).toString('base64');
}

async function call(method: string, path: string, body: unknown): Promise<Record<string, never>> {
  const headers = { 'content-type': 'application/json', 'sign-in-with-x': await signIn(path) };
  const response = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as Record<string, never> & { errors?: unknown };
  if (!response.ok || answer.errors !== undefined) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

const graphql = async (query: string, variables: object) =>
  (await call('POST', '/graphql', { query, variables })).data as unknown as Record<string, Record<string, string>>;

const say = (what: string, value: unknown) => process.stdout.write(`${what.padEnd(22)} ${value}\n`);

say('wallet', account.address);

const created = await graphql(
  'mutation ($input: CreateOrganizationInput!) { createOrganization(input: $input) { orgId displayName } }',
  { input: { displayName: 'First calls' } },
);
const org = created.createOrganization!.orgId!;
say('organization', org);

const made = await graphql(
  'mutation ($input: CreateProjectInput!) { createProject(input: $input) { nativeId name keys { anonKey } } }',
  { input: { org, name: 'Hello' } },
);
const room = made.createProject!.nativeId!;
say('project', room);

const client = createClient({
  url: `${baseUrl.replace(/^http/, 'ws')}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: async () => ({ 'sign-in-with-x': await signIn('/graphql') }),
});
const subscription = client.iterate<{ roomMessages: { cursor: string; message: { id: string; body: string } } }>({
  query: `subscription ($org: ID!, $room: String!, $after: String) {
    roomMessages(org: $org, room: $room, after: $after) { cursor message { id body } }
  }`,
  variables: { org, room },
});
const arrival = subscription.next();

const sent = await call('POST', `/orgs/v1/${org}/rooms/${room}/messages`, { body: 'Hello from REST' });
say('sent over REST', sent.message_id);

const event = (await arrival).value?.data?.roomMessages;
say('arrived on the socket', `${event?.message.id}: ${event?.message.body}`);
say('resume after it with', event?.cursor);
await subscription.return?.(undefined);
await client.dispose();
