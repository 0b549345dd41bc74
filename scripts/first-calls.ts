/**
 * The main job from a newcomer's side, with public tools alone: sign in with a fresh wallet, create an organization and
 * a project over GraphQL, follow the project's room over graphql-ws, send a message over REST and see it arrive.
 *
 * Usage: npm run first-calls [-- http://localhost:4000]
 */
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { walletSigner } from '../examples/wallet-signer.ts';

const baseUrl = (process.argv[2] ?? process.env.BASE_URL ?? 'http://localhost:4000').replace(/\/$/, '');
const wallet = walletSigner(baseUrl);

async function call(method: string, path: string, body: unknown): Promise<Record<string, never>> {
  const headers = { 'content-type': 'application/json', ...(await wallet.authorize(path)) };
  const response = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) }).catch(() => {
    process.stderr.write(`Nothing answers at ${baseUrl}. Is the gateway running there? npm start starts one.\n`);
    process.exit(1);
  });
  const answer = (await response.json()) as Record<string, never> & { errors?: unknown };
  if (!response.ok || answer.errors !== undefined) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

const graphql = async (query: string, variables: object) =>
  (await call('POST', '/graphql', { query, variables })).data as unknown as Record<string, Record<string, string>>;

const say = (what: string, value: unknown) => process.stdout.write(`${what.padEnd(22)} ${value}\n`);

say('wallet', wallet.address);

const created = await graphql(
  'mutation ($input: CreateOrganizationInput!) { createOrganization(input: $input) { orgId displayName } }',
  { input: { displayName: 'First calls' } },
);
const org = created.createOrganization!.orgId!;
say('organization', org);

const made = await graphql(
  'mutation ($input: CreateProjectInput!) { createProject(input: $input) { projectId name keys { anonKey } } }',
  { input: { org, name: 'Hello' } },
);
const room = made.createProject!.projectId!;
say('project', room);

const client = createClient({
  url: `${baseUrl.replace(/^http/, 'ws')}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: () => wallet.authorize('/graphql'),
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
